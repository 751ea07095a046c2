/**
 * Starts an app by the command in its arguments, goes through it as its page does, and stops it. `--again`: the app was there
 * before, and still has the run.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const again = process.argv.includes('--again')
const [command, ...args] = process.argv.slice(2).filter((argument) => argument !== '--again')
const { OPENAI_API_KEY: _key, ...env } = process.env
const app = spawn(command, args, {
  env: { ...env, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
})
const ended = once(app, 'close')

async function address() {
  let printed = ''
  for await (const text of app.stdout.setEncoding('utf8')) {
    process.stdout.write(text)
    printed += text
    const url = /http:\/\/localhost:\d+/.exec(printed)?.[0]
    if (url !== undefined) return url
  }
  throw new Error('The app has ended without its address.')
}

function post(path, body) {
  const headers = { 'content-type': 'application/json' }
  return fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

function expect(what, holds) {
  if (!holds) throw new Error(`It does not hold: ${what}.`)
}

async function* eventsOf(url, runId) {
  const { body } = await fetch(`${url}/api/runs/${runId}/events`)
  let text = ''
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece
    const frames = text.split('\n\n')
    text = frames.pop()
    for (const frame of frames) {
      const data = /^data: (\{.*)$/m.exec(frame)?.[1]
      if (data !== undefined) yield JSON.parse(data)
    }
  }
}

async function tour(url) {
  const page = await (await fetch(url)).text()
  expect('the page has its script', page.includes('/page.js') && (await fetch(`${url}/page.js`)).ok)
  const before = await (await fetch(`${url}/api/runs`)).json()
  expect('the runs are those of before', before.items.length === (again ? 1 : 0))
  const runId = crypto.randomUUID()
  const started = await post(`${url}/api/agents/support/runs`, { prompt: 'The lamp is broken.', runId })
  expect('a run starts', started.status === 201)
  let pieces = 0
  let approved = false
  for await (const { type, payload } of eventsOf(url, runId)) {
    if (type === 'text-delta') pieces++
    if (type === 'tool-call-approval') {
      const { toolCallId } = payload
      approved = (await post(`${url}/api/runs/${runId}/answers`, { type: 'approve', toolCallId })).ok
    }
    if (type === 'run-finish')
      expect(`the run completes, not ${payload.outcome}`, payload.outcome === 'completed')
  }
  expect('the refund waited for a person', approved)
  expect('the text came in pieces', pieces > 3)
}

try {
  await tour(await address())
  console.log('The app does what its page asks.')
} finally {
  app.stdout.resume()
  if (app.exitCode === null && app.pid !== undefined) process.kill(-app.pid, 'SIGTERM')
  await ended
}
