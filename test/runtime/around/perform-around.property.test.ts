/** Whatever wrappers do, in whichever order: the effect is performed once, and its outcome is delivered. */
import fc from 'fast-check'
import { virtualClock } from 'troupe/testing'
import { expect, test } from 'vitest'
import { performAround, type Around } from '../../../src/runtime/engine/around/around.ts'

const behaviours = {
  passesOn: (_effect, perform) => perform(),
  awaits: async (_effect, perform) => {
    try {
      return await perform()
    } finally {
      await Promise.resolve()
    }
  },
  neverCalls: () => undefined,
  neverCallsLater: async () => Promise.resolve(),
  callsTwice: async (_effect, perform) => {
    await perform()
    await perform()
  },
  throwsBefore: () => {
    throw new Error('before')
  },
  rejectsBefore: async () => {
    await Promise.resolve()
    throw new Error('before')
  },
  throwsAfter: (_effect, perform) => {
    void perform()
    throw new Error('after')
  },
  rejectsAfter: async (_effect, perform) => {
    await perform().catch(() => undefined)
    throw new Error('after')
  },
  hangsBefore: () => new Promise(() => undefined),
  hangsAfter: async (_effect, perform) => {
    void perform()
    await new Promise(() => undefined)
  },
  callsLater: async (_effect, perform) => {
    await Promise.resolve()
    await perform()
  },
  changesTheOutcome: async (_effect, perform) => {
    await perform()
    return 'another'
  },
  swallowsTheError: (_effect, perform) => perform().catch(() => 'fine'),
  leavesARejection: (_effect, perform) => void perform().then(() => 'fine'),
} satisfies Record<string, Around>

/** Those that a troupe reports, where the effect itself succeeds. */
const faulty = new Set<string>([
  'neverCalls',
  'neverCallsLater',
  'throwsBefore',
  'rejectsBefore',
  'throwsAfter',
  'rejectsAfter',
  'hangsBefore',
])

const effect = {
  kind: 'tool',
  runId: 'run',
  agent: 'solo',
  path: 'solo/call:1.1',
  key: 'solo/call:1.1/tool#1',
  attempt: 1,
  input: {},
} as const

const names = fc.array(fc.constantFrom(...(Object.keys(behaviours) as (keyof typeof behaviours)[])), {
  minLength: 1,
  maxLength: 4,
})

test('an effect is performed once, its outcome counts, and each fault of a wrapper is reported', async () => {
  await fc.assert(
    fc.asyncProperty(names, fc.boolean(), async (chosen, fails) => {
      const clock = virtualClock({ start: 0 })
      const problems: string[] = []
      const failure = new Error('the effect')
      let performed = 0
      const outcome = performAround(
        {
          wrappers: chosen.map((name) => behaviours[name]),
          effect,
          timeout: 1_000,
          clock,
          signal: new AbortController().signal,
          report: (problem) => problems.push(problem),
        },
        async () => {
          performed++
          await Promise.resolve()
          if (fails) throw failure
          return { value: 'found' }
        },
      ).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
      await clock.advance(10_000)
      expect(await outcome).toEqual(fails ? { error: failure } : { value: { value: 'found' } })
      await new Promise((resolve) => setTimeout(resolve))
      expect(performed).toBe(1)
      expect(problems).toHaveLength(chosen.filter((name) => faulty.has(name)).length)
    }),
    { numRuns: 150 },
  )
})

test('an outcome is delivered while a wrapper is still at work', async () => {
  const ended = Promise.withResolvers<void>()
  let hasEnded = false
  const outcome = await performAround(
    {
      wrappers: [
        async (_effect, perform) => {
          await perform()
          await ended.promise
          hasEnded = true
        },
      ],
      effect,
      timeout: 1_000,
      clock: virtualClock({ start: 0 }),
      signal: new AbortController().signal,
      report: () => undefined,
    },
    async () => 'found',
  )
  expect(outcome).toBe('found')
  expect(hasEnded).toBe(false)
  ended.resolve()
})

test('an effect that the run has let go of meanwhile is not begun', async () => {
  const controller = new AbortController()
  let performed = 0
  const late = Promise.withResolvers<void>()
  const outcome = performAround(
    {
      wrappers: [
        async (_effect, perform) => {
          await late.promise
          await perform().catch(() => undefined)
        },
      ],
      effect,
      timeout: 1_000,
      clock: virtualClock({ start: 0 }),
      signal: controller.signal,
      report: () => undefined,
    },
    async () => {
      performed++
    },
  )
  controller.abort()
  await expect(outcome).rejects.toMatchObject({ code: 'CANCELLED' })
  late.resolve()
  await new Promise((resolve) => setTimeout(resolve))
  expect(performed).toBe(0)
})

test('a wrapper cannot change the outcome', async () => {
  const outcome = await performAround(
    {
      wrappers: [
        async (_effect, perform) => {
          const value = (await perform()) as { list: number[] }
          expect(() => value.list.push(2)).toThrow(TypeError)
        },
      ],
      effect,
      timeout: 1_000,
      clock: virtualClock({ start: 0 }),
      signal: new AbortController().signal,
      report: () => undefined,
    },
    async () => ({ list: [1] }),
  )
  expect(outcome).toEqual({ list: [1] })
})
