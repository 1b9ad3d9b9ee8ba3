// `npm run dev`: the page against invented data, for work on how it looks. None
// of it is part of the built page.

import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { fixtures } from './server.ts';

const root = resolve(import.meta.dirname, '..');

export default defineConfig({
  root,
  cacheDir: resolve(root, 'node_modules/.vite-dev'),
  plugins: [react(), fixtures()],
  server: { host: '127.0.0.1', port: Number(process.env.PORT ?? 5199), strictPort: true },
});
