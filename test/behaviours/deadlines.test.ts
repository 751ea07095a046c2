/** Everything of the user's has a deadline: whatever it does, its run ends, with the timeout on record. */
import { createTroupe, memoryStore, type JournalEntry, type Run } from 'troupe'
import { describe, expect, test } from 'vitest'
import { cases, limit, type Case, type Misbehave, type Misbehaviour } from '../support/misbehaving.ts'
import { virtualClock, type VirtualClock } from '../support/virtual-clock.ts'

type Settled = Extract<JournalEntry, { readonly type: 'effect.settled' }>

const isSettled = (entry: JournalEntry): entry is Settled => entry.type === 'effect.settled'

/** Lets time pass until the run has ended: in steps, so that whatever is due can lead to something. */
async function ended(run: Run, clock: VirtualClock) {
  let isOver = false
  void run.result.then(
    () => (isOver = true),
    () => (isOver = true),
  )
  for (let passed = 0; !isOver && passed < 200; passed++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (!isOver) clock.advance(limit / 2)
  }
  expect(isOver, 'the run has not ended').toBe(true)
  return run.result
}

function misbehaving(how: Misbehaviour, clock: VirtualClock) {
  const late = Promise.withResolvers<void>()
  let times = 0
  const misbehave: Misbehave = (value) => {
    times++
    if (how === 'hangs') return new Promise(() => undefined)
    if (how === 'is late') return late.promise.then(() => value)
    clock.block(2 * limit)
    return Promise.resolve(value)
  }
  return { misbehave, comes: () => late.resolve(), asked: () => times }
}

async function play({ make, code, outcome, isPart, late }: Case, how: Misbehaviour): Promise<void> {
  const clock = virtualClock()
  const { misbehave, comes, asked } = misbehaving(how, clock)
  const { agent, store = memoryStore(), options = {} } = make(misbehave)
  const troupe = createTroupe({ agents: [agent], store, clock, onError: () => undefined })
  const run = await troupe.start(agent, 'Go', options)
  const result = await ended(run, clock)
  expect(result.outcome).toBe(outcome)
  expect(asked()).toBeGreaterThan(0)
  const journal = async () => (await store.read(run.id)) ?? []
  const timedOut = (await journal()).find(
    (entry): entry is Settled => isSettled(entry) && JSON.stringify(entry.settlement).includes(code),
  )
  expect(timedOut).toBeDefined()
  const replayed = () => troupe.replay(run.id)
  expect((await replayed()).result).toEqual(result)

  comes()
  const lateOnes = async () =>
    (await journal()).filter(
      (entry) => isSettled(entry) && entry.late === true && entry.key === timedOut?.key,
    )
  const isRecorded = how !== 'hangs' && isPart !== true && (late ?? [how]).includes(how)
  await expect.poll(async () => (await lateOnes()).length).toBe(isRecorded ? 1 : 0)
  expect((await replayed()).result).toEqual(result)
  expect(await run.result).toEqual(result)
  expect(clock.pending).toBe(0)
  await troupe.close()
}

describe.each(Object.entries(cases))('%s', (_name, each) => {
  test.each(each.does ?? (['hangs', 'is late', 'blocks'] as const))('that %s', (how) => play(each, how))
})
