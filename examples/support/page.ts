/** The page of an example, and its server. An app of yours has a bundler of its own for this. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { build } from 'rolldown'

const policy = "default-src 'self'; frame-ancestors 'none'"

/** The routes of a page. `folder`: has `index.html`, and `main.tsx` with the React components that draw it. */
export async function pageRoutes(folder: URL): Promise<Hono> {
  const [html, css, js] = await Promise.all([
    readFile(new URL('index.html', folder), 'utf8'),
    readFile(new URL('page.css', import.meta.url), 'utf8'),
    bundled(new URL('main.tsx', folder)),
  ])
  return new Hono()
    .get('/', (context) => context.html(html, 200, { 'content-security-policy': policy }))
    .get('/page.css', (context) => context.body(css, 200, { 'content-type': 'text/css' }))
    .get('/page.js', (context) => context.body(js, 200, { 'content-type': 'text/javascript' }))
}

export interface PageServer {
  /** The address of the page. */
  readonly url: string
  readonly close: () => Promise<void>
}

/** `port`: 0 for any that is free. */
export async function servePage(app: Hono, port: number): Promise<PageServer> {
  const listening = Promise.withResolvers<number>()
  const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) =>
    listening.resolve(address.port),
  )
  server.once('error', listening.reject)
  return {
    url: `http://127.0.0.1:${await listening.promise}/`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The module and all that it needs, as one script for browsers. */
async function bundled(entry: URL): Promise<string> {
  const { output } = await build({
    input: fileURLToPath(entry),
    platform: 'browser',
    tsconfig: false,
    transform: {
      jsx: { runtime: 'automatic', importSource: 'react' },
      define: { 'process.env.NODE_ENV': '"production"' },
      target: 'es2022',
    },
    output: { format: 'es', codeSplitting: false },
    write: false,
  })
  return output[0].code
}
