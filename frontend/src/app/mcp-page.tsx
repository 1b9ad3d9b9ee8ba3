import { MCP } from '../features/mcp/mcp.tsx';
import { Connection } from './connection.tsx';
import '../styles/pages.css';
import '../styles/mcp.css';

/** Which MCP servers agents get. */
export default function MCPPage({ id }: { id: string }) {
  return <MCP id={id} connection={<Connection />} />;
}
