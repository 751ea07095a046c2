/** What a reader of events is given of messages that are streamed past the journal. */
import type { RunEvent } from 'troupe'
import { expect, test } from 'vitest'
import { EventLog } from '../../src/runtime/handle/event-log.ts'
import type { StreamedEvent } from '../../src/runtime/handle/run-event.ts'

const envelope = { at: 1, runId: 'run', agent: 'poet', path: 'poet', messageId: 'm1' }
const delta = (text: string): StreamedEvent => ({ ...envelope, type: 'text-delta', payload: { text } })

/** A complete message, as the journal brings it. */
function tell(log: EventLog, text: string): void {
  log.publish({ ...envelope, seq: 1, type: 'text-start', payload: {} }, 0)
  log.publish({ ...envelope, seq: 2, type: 'text-delta', payload: { text } }, 0)
  log.publish({ ...envelope, seq: 3, type: 'text-end', payload: { text, status: 'complete' } }, 0)
}

async function read(act: (log: EventLog) => void): Promise<readonly string[]> {
  const log = new EventLog()
  const reader = log.read()
  act(log)
  log.end()
  const events: RunEvent[] = []
  for await (const event of reader) events.push(event)
  return events.map(({ type, payload }) => ('text' in payload ? `${type} ${payload.text}` : type))
}

test('a message is told once: as it was streamed, and what was lost of its end', async () => {
  const told = await read((log) => {
    log.stream(delta('Low '), true)
    log.stream(delta('tide'), false)
    tell(log, 'Low tide.')
  })
  expect(told).toEqual(['text-start', 'text-delta Low tide', 'text-delta .', 'text-end Low tide.'])
})
