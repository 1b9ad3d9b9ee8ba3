import { Start } from '../features/start/start.tsx';
import '../styles/start.css';
import '../styles/pages.css';

export default Start;
