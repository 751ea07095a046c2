/** The desk as a process of its own: `<port> <log> hold|answer`. It writes each call that it begins and answers to the log. */
import { appendFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { desk } from './stateful.ts'

const [port = '0', log = '', mode = 'answer'] = process.argv.slice(2)
const server = desk(undefined, undefined, (what, key) => appendFileSync(log, `${what} ${key}\n`))
if (mode === 'answer') setInterval(() => server.release(), 20)
serve({ fetch: (request) => server.fetch(request), port: Number(port), hostname: '127.0.0.1' }, (address) =>
  console.log(address.port),
)
