import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // Relative, since the window serves the page from wails://wails/ and the
  // browser gateway from a path of its own.
  base: './',
  build: {
    target: 'safari18',
    outDir: 'dist',
    emptyOutDir: true,
    // The page's policy forbids data: scripts and styles; keep every asset a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
