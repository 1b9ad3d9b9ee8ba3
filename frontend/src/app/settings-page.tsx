import { Settings } from '../features/settings/settings.tsx';
import '../styles/pages.css';

export default Settings;
