import { Agents } from '../features/agents/agents.tsx';
import '../styles/pages.css';

export default Agents;
