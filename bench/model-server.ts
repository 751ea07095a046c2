/**
 * A model server in a process of its own, so that what it costs is not counted. It speaks as much of Chat Completions
 * as the bench needs, and reads of a request only the model's name and the last tool result. Connections stay open. Its
 * argument: the milliseconds that a reply takes; default: none.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { replyAfter, scriptNamed, type ScriptedReply } from './jobs/script.ts'

const delay = Number(process.argv[2] ?? 0)

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const completion = completionFor(Buffer.concat(parts))
    const reply = (): void => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': completion.length })
      response.end(completion)
    }
    if (delay === 0) reply()
    else setTimeout(reply, delay)
  })
})

function completionFor(body: Buffer): Buffer {
  const model = textAfter(body, '"model":"', body.indexOf('"model":"')) ?? ''
  const lastResult = textAfter(body, '"tool_call_id":"', body.lastIndexOf('"tool_call_id":"'))
  const reply = replyAfter(lastResult, scriptNamed(model))
  return Buffer.from(
    JSON.stringify({
      id: 'chatcmpl-bench',
      object: 'chat.completion',
      created: 0,
      model,
      choices: [
        { index: 0, message: message(reply), finish_reason: reply.calls.length > 0 ? 'tool_calls' : 'stop' },
      ],
      usage: { prompt_tokens: 40, completion_tokens: 10, total_tokens: 50 },
    }),
  )
}

function message({ text, calls }: ScriptedReply): object {
  if (calls.length === 0) return { role: 'assistant', content: text, refusal: null }
  const tool_calls = calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }))
  return { role: 'assistant', content: null, refusal: null, tool_calls }
}

/** The rest of a JSON text that begins with `opening` at `index`; our names hold nothing that JSON escapes. */
function textAfter(body: Buffer, opening: string, index: number): string | undefined {
  if (index < 0) return undefined
  const start = index + opening.length
  return body.toString('latin1', start, body.indexOf('"', start))
}

server.keepAliveTimeout = 600_000
process.on('disconnect', () => process.exit())
// A thousand connections are opened at once: a shorter backlog would make some of them wait for a second try.
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send?.((server.address() as AddressInfo).port),
)
