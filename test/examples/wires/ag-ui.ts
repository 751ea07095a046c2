/** The wire of AG-UI, read by its client: `runAgent` verifies each event, and applies it to the messages of a page. */
import { HttpAgent, type Interrupt } from '@ag-ui/client'
import type { AwaitedSignal, RunSignal } from 'troupe'
import type { Handler } from 'troupe/http'
import type { Reading } from './read.ts'

export async function readByAgUi(
  handler: Handler,
  { agent, runId, conversationId, task, answer }: Reading,
): Promise<string> {
  const page = new HttpAgent({
    url: `http://server.test/agents/${agent.id}/run`,
    threadId: conversationId,
    fetch: async (url, init) => handler(new Request(url, init)),
  })
  page.addMessage({ id: 'task', role: 'user', content: task })
  await page.runAgent({ runId })
  for (let times = 1; page.pendingInterrupts.length > 0; times++) {
    const resume = page.pendingInterrupts.map((interrupt) => resumeOf(interrupt, answer))
    await page.runAgent({ runId: `${runId}-${times}`, resume })
  }
  const last = page.messages.findLast(
    (message) => message.role === 'assistant' && message.subagentRunId === undefined && message.content,
  )
  return typeof last?.content === 'string' ? last.content : ''
}

function resumeOf({ id, metadata }: Interrupt, answer: Reading['answer']) {
  const { troupe } = metadata as { readonly troupe: AwaitedSignal }
  return { interruptId: id, status: 'resolved' as const, payload: payloadOf(answer(troupe)) }
}

function payloadOf(signal: RunSignal): unknown {
  switch (signal.type) {
    case 'approve':
      return { approved: true }
    case 'deny':
      return { approved: false, ...(signal.reason === undefined ? {} : { reason: signal.reason }) }
    case 'resume':
      return signal.data
    default:
      throw new Error(`"${signal.type}" is no answer.`)
  }
}
