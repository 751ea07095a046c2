/** Everything of the user's has a deadline: whatever it does, its run ends, with the timeout on record. */
import { createTroupe, memoryStore, type JournalEntry, type Run } from 'troupe'
import { describe, expect, test } from 'vitest'
import { cases, limit, type Case, type Misbehave, type Misbehaviour } from '../support/misbehaving.ts'
import { virtualClock, type VirtualClock } from '../support/virtual-clock.ts'

type Settled = Extract<JournalEntry, { readonly type: 'effect.settled' }>

const isSettled = (entry: JournalEntry): entry is Settled => entry.type === 'effect.settled'

/** Lets time pass until the run has ended: in steps, so that whatever is due can lead to something. */
async function ended(run: Run, clock: VirtualClock) {
  const goesOn = Symbol('goes on')
  for (let passed = 0; passed < 200; passed++) {
    const turn = new Promise<typeof goesOn>((resolve) => setImmediate(() => resolve(goesOn)))
    const result = await Promise.race([run.result, turn])
    if (result !== goesOn) return result
    clock.advance(limit / 2)
  }
  throw new Error('The run has not ended.')
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

/** Plays one case to its end. */
async function played({ make, code }: Case, how: Misbehaviour) {
  const clock = virtualClock()
  const { misbehave, comes, asked } = misbehaving(how, clock)
  const { agent, store = memoryStore(), options = {} } = make(misbehave)
  const troupe = createTroupe({ agents: [agent], store, clock, onError: () => undefined })
  const run = await troupe.start(agent, 'Go', options)
  const result = await ended(run, clock)
  const settled = async () => ((await store.read(run.id)) ?? []).filter(isSettled)
  const timedOut = (await settled()).find(({ settlement }) => JSON.stringify(settlement).includes(code))
  const lateOnes = async () =>
    (await settled()).filter(({ key, late }) => late === true && key === timedOut?.key)
  return { clock, run, result, timedOut, lateOnes, comes, asked, replay: () => troupe.replay(run.id) }
}

describe.each(Object.entries(cases))('%s', (_name, each) => {
  test.each(each.does ?? (['hangs', 'is late', 'blocks'] as const))('that %s', async (how) => {
    const { clock, run, result, timedOut, lateOnes, comes, asked, replay } = await played(each, how)
    expect(result.outcome).toBe(each.outcome)
    expect(asked()).toBeGreaterThan(0)
    expect(timedOut).toBeDefined()
    expect((await replay()).result).toEqual(result)

    comes()
    const isRecorded = how !== 'hangs' && each.isPart !== true && (each.late ?? [how]).includes(how)
    await expect.poll(async () => (await lateOnes()).length).toBe(isRecorded ? 1 : 0)
    expect((await replay()).result).toEqual(result)
    expect(await run.result).toEqual(result)
    expect(clock.pending).toBe(0)
  })
})
