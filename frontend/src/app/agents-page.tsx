import { Agents } from '../features/agents/agents.tsx';
import '../styles/pages.css';
import '../styles/doctor.css';

export default Agents;
