/** Errors of another copy of the package, and errors of a bundle whose names are made short. */
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import * as ours from '../../src/errors.ts'
import { createAgent, createTool, createTroupe, memoryStore, throttled, type Store } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing/index.ts'
import { z } from 'zod'

/** A second copy of the module, as a second installation has it. */
const address = '../../src/errors.ts?copy'
const theirs = (await import(address)) as typeof ours

type Errors = typeof ours
const here: Errors = { ...ours }

function oneOfEach(errors: Errors): readonly (readonly [keyof Errors, ours.TroupeError])[] {
  return [
    ['ConfigurationError', new errors.ConfigurationError('m')],
    ['RetryableError', new errors.RetryableError('m')],
    ['TerminalError', new errors.TerminalError('m')],
    ['CancelledError', new errors.CancelledError('m')],
    ['BudgetExceededError', new errors.BudgetExceededError('steps', 1, 1)],
    ['SignalError', new errors.SignalError('UNKNOWN_SIGNAL', 'id', 'm')],
    [
      'JournalMismatchError',
      new errors.JournalMismatchError({ entry: 1, field: 'f', recorded: 1, actual: 2 }),
    ],
    ['RunNotFoundError', new errors.RunNotFoundError('r')],
    ['StoreError', new errors.StoreError('m', { code: 'STORE_CORRUPT' })],
    ['RunOwnedError', new errors.RunOwnedError('r')],
    ['RunLeftError', new errors.RunLeftError('r')],
    ['RunExistsError', new errors.RunExistsError('r')],
    ['RunNotEndedError', new errors.RunNotEndedError('r')],
    ['LeaseLostError', new errors.LeaseLostError('r')],
    ['TroupeClosedError', new errors.TroupeClosedError('m')],
    ['TroupeDrainingError', new errors.TroupeDrainingError()],
    ['NestedRunError', new errors.NestedRunError('NESTED_RUN_DIFFERS', 'm')],
  ]
}

const classes = oneOfEach(ours).map(([name]) => name)

test('each class of errors is in the table', () => {
  const exported = Object.entries(ours).filter(
    ([, value]) =>
      typeof value === 'function' &&
      (value === ours.TroupeError || value.prototype instanceof ours.TroupeError),
  )
  expect(exported.map(([name]) => name).toSorted()).toEqual([...classes, 'TroupeError'].toSorted())
})

test.each(oneOfEach(theirs))('%s of another copy is of its class here, and of no other', (name, error) => {
  expect(theirs[name]).not.toBe(here[name])
  const known = classes.filter((one) => error instanceof (here[one] as unknown as typeof Error))
  expect(known).toEqual([name])
  expect(error).toBeInstanceOf(ours.TroupeError)
  expect(error.name).toBe(name)
})

test('an error of a user is of the classes above its own, and never of the class of another', () => {
  class Mine extends ours.RetryableError {}
  class Other extends theirs.RetryableError {}
  const mine = new Mine('m')
  expect(mine.name).toBe('Mine')
  expect(mine).toBeInstanceOf(theirs.RetryableError)
  expect(mine).not.toBeInstanceOf(Other)
  expect(new theirs.RetryableError('m')).not.toBeInstanceOf(Mine)
  expect(new Other('m')).not.toBeInstanceOf(Mine)
})

test('what only resembles an error is none', () => {
  const kind = Symbol.for('troupe.error')
  for (const value of [
    null,
    'RetryableError',
    {},
    { [kind]: ['RetryableError'] },
    new Error('RetryableError'),
  ])
    expect(value).not.toBeInstanceOf(ours.RetryableError)
  const odd = Object.assign(new Error('m'), { [kind]: 'RetryableError' })
  expect(odd).not.toBeInstanceOf(ours.RetryableError)
})

test('a RetryableError of another copy is retried, by a tool and by a throttled model', async () => {
  let attempts = 0
  const flaky = createTool({
    id: 'flaky',
    description: 'Fails once.',
    inputSchema: z.object({}),
    execute: async () => {
      attempts++
      if (attempts === 1) throw new theirs.RetryableError('again', { retryAfterMs: 0 })
      return 'fine'
    },
  })
  const scripted = scriptedModel([{ toolCalls: [{ name: 'flaky', args: {} }] }, 'Done.'])
  let isFirst = true
  const model = throttled({
    ...scripted,
    provider: 'p',
    modelId: 'm',
    generate: async (request, options) => {
      if (!isFirst) return scripted.generate(request, options)
      isFirst = false
      throw new theirs.RetryableError('slow', { code: 'RATE_LIMITED', retryAfterMs: 1 })
    },
  })
  const agent = createAgent({ id: 'a', model, tools: { flaky }, retries: 1 })
  const result = await agent.generate('Go.')
  expect(result.outcome).toBe('completed')
  expect(attempts).toBe(2)
})

test('the code of a store error of another copy is kept', async () => {
  const whole = memoryStore()
  const store: Store = Object.create(whole, {
    append: {
      value: () => Promise.reject(new theirs.StoreError('torn', { code: 'STORE_CORRUPT' })),
    },
  })
  const agent = createAgent({ id: 'a', model: scriptedModel(['x']) })
  const troupe = createTroupe({ agents: [agent], store, onError: () => undefined })
  await expect(troupe.start(agent, 'Go.').then((run) => run.result)).rejects.toMatchObject({
    code: 'STORE_CORRUPT',
  })
  await troupe.close()
})

test('names are literals: a bundle that shortens them has the same', async () => {
  const bundle = await rolldown({ input: join(import.meta.dirname, '../../src/errors.ts'), platform: 'node' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  const text = `data:text/javascript,${encodeURIComponent(output[0].code)}`
  const short = (await import(text)) as Errors
  const made = oneOfEach(short)
  expect(made.map(([, error]) => error.name)).toEqual(classes)
  expect(new Set(made.map(([, error]) => error.constructor.name))).not.toContain('RetryableError')
})
