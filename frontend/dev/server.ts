// The invented back end in the dev server. ?scene=NAME in the page's address
// chooses what there is; each load begins anew.

import type { Plugin } from 'vite';
import { Fixture } from './fixture.ts';
import { sceneOf } from './stage.ts';

export function fixtures(): Plugin {
  let fixture = new Fixture(sceneOf(new URLSearchParams()));
  return {
    name: 'fixtures',
    configureServer(server) {
      server.middlewares.use((req, res, next) => {
        const url = new URL(req.url ?? '/', 'http://dev');
        if (url.pathname === '/' || url.pathname === '/index.html') {
          fixture.end();
          fixture = new Fixture(
            sceneOf(url.searchParams),
            url.searchParams.get('answers'),
            url.searchParams.get('servers'),
            url.searchParams.get('doctor'),
          );
        }
        if (!url.pathname.startsWith('/api/')) return next();
        fixture.answer(req, res, url).catch(next);
      });
    },
  };
}
