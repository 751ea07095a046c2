/** Behaviour 78: views over readers that come and go: every one of them ends with the same view of the run. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RunEvent } from 'troupe'
import { emptyView, nextView, viewOf, type AgentView, type PartView, type RunView } from 'troupe/view'
import { watchRandomly } from '../properties/watched-troupe.ts'

/**
 * The part without what only a live reader sees: the time at which it was streamed, and the message of a streamed call. An
 * error is counted among the parts, of which a live reader has more.
 */
function recordedPart(part: PartView): object {
  const { at: _at, ...rest } = part
  const { messageId: _message, attempt: _attempt, ...seen } = { messageId: '', attempt: 0, ...rest }
  const recorded = part.type === 'error' ? { ...seen, id: '' } : seen
  return part.type === 'delegation' ? { ...recorded, agents: part.agents.map(recordedAgent) } : recorded
}

/** Only a live reader sees messages that were cut or rejected. */
function isRecorded(part: PartView): boolean {
  return (
    !('status' in part) || (part.status !== 'cut' && part.status !== 'rejected') || part.type === 'delegation'
  )
}

function recordedAgent(agent: AgentView): object {
  const { at: _at, ...rest } = agent
  return { ...rest, parts: agent.parts.filter(isRecorded).map(recordedPart) }
}

function recordedView(view: RunView): object {
  const { cursor: _cursor, ...rest } = view
  return { ...rest, agents: view.agents.map(recordedAgent), errors: view.errors.toArray() }
}

const asJson = (view: RunView): unknown => JSON.parse(JSON.stringify(view))

test('a reader that leaves and goes on behind its cursor has the view of a replay, and each event counts once', async () => {
  let visited = 0
  const choices = fc.array(fc.nat({ max: 1_000 }), { minLength: 150, maxLength: 500, size: 'max' })
  await fc.assert(
    fc.asyncProperty(choices, fc.nat({ max: 1_000 }), async (choices, place) => {
      const { recorded, seen: all, visits } = await watchRandomly(choices)
      const expected = recordedView(viewOf(recorded))
      for (const events of all) {
        const view = viewOf(events)
        expect(recordedView(view)).toEqual(expected)
        checkPrefixes(events, place, asJson(view))
      }
      const once = viewOf(recorded)
      expect(viewOf(recorded, once)).toBe(once)
      visited += visits
    }),
    { numRuns: 60, endOnFailure: true },
  )
  expect(visited).toBeGreaterThan(400)
})

/** A prefix and the rest give the view of the whole, also where another future of the same view came between. */
function checkPrefixes(events: readonly RunEvent[], place: number, whole: unknown): void {
  const cut = place % (events.length + 1)
  const prefix = viewOf(events.slice(0, cut))
  const before = asJson(prefix)
  viewOf(events.slice(cut + 1), prefix)
  expect(asJson(viewOf(events.slice(cut), prefix))).toEqual(whole)
  expect(asJson(prefix)).toEqual(before)
}

test('while a message is streamed, its text is that of its deltas', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), (pieces, end) => {
      const message = { at: 0, runId: 'r', agent: 'a', path: 'a', messageId: 'a:m1' } as const
      const streaming = pieces.reduce(
        (view, text) => nextView(view, { ...message, type: 'text-delta', payload: { text } }),
        emptyView,
      )
      expect(streaming.text).toBe(pieces.join(''))
      const ended = nextView(streaming, {
        ...message,
        type: 'text-end',
        payload: { text: end, status: 'complete' },
      })
      expect(ended.text).toBe(end)
    }),
    { numRuns: 50 },
  )
})
