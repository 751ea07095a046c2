/** The questions of a run as plain data: what was said of each of them is known again. */
import { expect, test } from 'vitest'
import { OpenSignals, type OpenSignalsData } from '../../src/runtime/state/signals/open-signals.ts'

const question = (id: string) =>
  ({ id, type: 'approval', agent: 'lead', toolName: 'sign', args: {} }) as const

/** "open" and "asked" are open, "answered" has its answer, and the time of "expired" is up. */
function questions(): OpenSignals {
  const signals = new OpenSignals()
  for (const id of ['open', 'asked', 'answered', 'expired']) signals.open(`key of ${id}`, question(id), 0, 1)
  signals.claim('asked', 'approve')
  signals.claim('answered', 'approve')
  signals.settled('key of answered', question('answered'))
  signals.expired('key of expired', question('expired'))
  return signals
}

const read = (signals: OpenSignals) => OpenSignals.of(JSON.parse(JSON.stringify(signals)) as OpenSignalsData)

const refusal = (code: string) => expect.objectContaining({ name: 'SignalError', code }) as Error

test('each question takes and refuses the same answers when it was written and read', () => {
  for (const signals of [questions(), read(questions())]) {
    expect(signals.claim('open', 'approve')).toBe('key of open')
    expect(() => signals.claim('open', 'approve')).toThrow(refusal('SIGNAL_ALREADY_ANSWERED'))
    expect(() => signals.claim('asked', 'approve')).toThrow(refusal('SIGNAL_ALREADY_ANSWERED'))
    expect(() => signals.claim('answered', 'approve')).toThrow(refusal('SIGNAL_ALREADY_ANSWERED'))
    expect(() => signals.claim('expired', 'approve')).toThrow(refusal('SIGNAL_TOO_LATE'))
    expect(() => signals.claim('unknown', 'approve')).toThrow(refusal('UNKNOWN_SIGNAL'))
    expect(signals.awaiting().map(({ toolCallId }) => toolCallId)).toEqual(['open', 'asked'])
  }
})

test('those of a run that has ended take none', () => {
  const ended = questions()
  ended.close()
  for (const signals of [ended, read(ended)]) {
    expect(signals.isClosed).toBe(true)
    expect(() => signals.claim('open', 'approve')).toThrow(refusal('SIGNAL_TOO_LATE'))
  }
})
