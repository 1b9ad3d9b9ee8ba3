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
    rolldownOptions: {
      output: {
        // Two chunks for what every page needs, so that a first paint waits for
        // few files; pages, Markdown and the second language come by themselves.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler|zustand)\// },
            {
              name: 'base',
              test: /src\/(state|backend|lib\/(?!i18n\/zh-CN)|ui\/(?!markdown|highlight|code))/,
            },
          ],
        },
      },
    },
  },
});
