/** An app of Next.js in production: it is built, started, and asked twice. */
import { spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

const next = createRequire(import.meta.url).resolve('next/dist/bin/next')
const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
const { status } = spawnSync(process.execPath, [next, 'build', 'next-app'], { env, stdio: 'inherit' })
if (status !== 0) throw new Error(`next build ended with ${status}.`)

const server = spawn(process.execPath, [next, 'start', 'next-app', '--port', '0'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  let printed = ''
  let url
  for await (const text of server.stdout.setEncoding('utf8')) {
    printed += text
    url = /http:\/\/localhost:\d+/.exec(printed)?.[0]
    if (url !== undefined && printed.includes('Ready')) break
  }
  if (url === undefined) throw new Error(`next start printed:\n${printed}`)
  for (const turn of ['first', 'second']) {
    const answered = await (await fetch(`${url}/api`)).text()
    if (answered !== '{"outcome":"completed","text":"Here."}')
      throw new Error(`The ${turn} request was answered: ${answered}`)
  }
  console.log('The app of Next.js works.')
} finally {
  server.kill()
}
