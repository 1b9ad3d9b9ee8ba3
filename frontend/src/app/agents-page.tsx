import { Agents } from '../features/agents/agents.tsx';
import '../styles/pages.css';
import '../styles/side.css'; // processes have one look, here and beside a session
import '../styles/doctor.css';

export default Agents;
