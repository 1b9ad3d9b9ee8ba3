// The built page in front of invented data: what a picture shows is the same on
// every computer, and every state can be had.

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, resolve } from 'node:path';
import { Fixture } from '../dev/fixture.ts';
import { sceneOf } from '../dev/stage.ts';

const dist = resolve(process.env.PARLEY_PAGE_DIR ?? resolve(import.meta.dirname, '../dist'));
const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** Serves the page; a load of "/" begins the scene that its query names anew. */
export class Stage {
  fixture = new Fixture(sceneOf(new URLSearchParams()));
  url = '';
  private server: Server | undefined;

  async start(): Promise<void> {
    this.server = createServer((req, res) => {
      const url = new URL(req.url ?? '/', 'http://stage');
      if (url.pathname.startsWith('/api/')) {
        void this.fixture.answer(req, res, url);
        return;
      }
      if (url.pathname === '/') {
        this.fixture.end();
        this.fixture = new Fixture(
          sceneOf(url.searchParams),
          url.searchParams.get('answers'),
          url.searchParams.get('servers'),
          url.searchParams.get('doctor'),
        );
      }
      const file = normalize(url.pathname === '/' ? '/index.html' : url.pathname);
      try {
        const body = readFileSync(join(dist, file));
        res.setHeader('Content-Type', types[extname(file)] ?? 'application/octet-stream');
        res.end(body);
      } catch {
        res.statusCode = 404;
        res.end();
      }
    });
    await new Promise<void>((done) => this.server!.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.fixture.end();
    this.server?.closeAllConnections();
    await new Promise((done) => this.server?.close(done));
  }
}
