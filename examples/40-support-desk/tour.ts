/** What the page does, without a browser: a customer asks for money back, and one of the staff approves it. */
import { visibleJson } from 'troupe/view'
import type { OpenDesk } from './server/open-desk.ts'

export async function tour({ url, troupe }: OpenDesk): Promise<void> {
  const [ann, sam] = [await signedIn(url, 'ann'), await signedIn(url, 'sam')]
  const runId = crypto.randomUUID()
  await ann('/api/agents/support/runs', { runId, prompt: 'The lamp of order A-17 is broken.' })
  console.log('\nann: The lamp of order A-17 is broken.')
  for await (const event of troupe.watch(runId)) {
    if (event.type === 'tool-call-approval') {
      const { toolName, toolCallId, args } = event.payload
      console.log(`desk: may I ${toolName} ${visibleJson(args)}?`)
      const answer = { type: 'approve', toolCallId, note: 'We have a photo.' }
      console.log(`ann approves it herself: ${await ann(`/api/runs/${runId}/answers`, answer)}`)
      console.log(`sam approves it: ${await sam(`/api/runs/${runId}/answers`, answer)}`)
    }
    if (event.type === 'tool-call-answered') console.log(`approved by ${event.payload.by}`)
    if (event.type === 'run-finish') console.log(`desk: ${event.payload.text}`)
  }
  console.log(`\nWhat the staff read of it:\n${await sam(`/summary/${runId}`)}`)
}

/** Sends requests as a user; resolves with the status of the answer, and without a body with its text. */
async function signedIn(
  url: string,
  name: string,
): Promise<(path: string, body?: object) => Promise<number | string>> {
  const headers = { 'content-type': 'application/json' }
  const send = (path: string, body?: object, cookie = '') =>
    fetch(new URL(path, url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, cookie },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const session = await send('/session', { name })
  const [cookie] = (session.headers.get('set-cookie') ?? '').split(';')
  return async (path, body) => {
    const response = await send(path, body, cookie)
    const text = await response.text()
    return body === undefined ? text : response.status
  }
}
