/** The server: the page, and the runs over HTTP. Runs are in a SQLite file, and go on after a restart. */
import { readFile } from 'node:fs/promises'
import { serve } from '@hono/node-server'
import { createTroupe } from 'troupe'
import { createHandler } from 'troupe/http'
import { sqliteStore } from 'troupe/sqlite'
import { createSupport } from './agent.ts'
import { chooseModel } from './model.ts'

const support = createSupport(chooseModel())
const store = sqliteStore(process.env['DATABASE'] ?? 'app.db')
const troupe = createTroupe({ agents: [support], store })
await troupe.recover()

const runs = createHandler(troupe, {
  agents: [support],
  base: '/api',
  // Whoever reaches this server may do everything: it listens on this machine alone.
  authorize: () => ({ resource: null, by: 'you' }),
})

const files: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
}

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/api/')) return runs(request)
  const found = files[pathname]
  if (found === undefined) return new Response('There is nothing here.', { status: 404 })
  const [file, type] = found
  return new Response(await readFile(new URL(`../page/${file}`, import.meta.url)), {
    headers: {
      'content-type': type,
      'content-security-policy': "default-src 'self'; frame-ancestors 'none'",
    },
  })
}

const port = Number(process.env['PORT'] ?? 3000)
const server = serve({ fetch: answer, port, hostname: '127.0.0.1' }, (address) => {
  console.log(`The page: http://localhost:${address.port}`)
})

async function stop(): Promise<void> {
  server.close()
  if ('closeAllConnections' in server) server.closeAllConnections()
  await troupe.close()
  await store.close()
}
process.once('SIGINT', () => void stop())
process.once('SIGTERM', () => void stop())
