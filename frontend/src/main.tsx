import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { startSync } from './app/sync.ts';
import { chooseLanguage, setLanguage } from './lib/i18n/i18n.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/overlays.css';
import './styles/blocks.css';
import './styles/code.css';
import './styles/thumbs.css';
import './styles/shell.css';
import './styles/rail.css';

// boot.js has set the language on the page; its texts are there before the first paint.
await setLanguage(chooseLanguage([document.documentElement.lang]));
startSync();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
