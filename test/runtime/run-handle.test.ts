/** The handle of a run can be taken apart: a caller lists it, spreads it, and takes its functions by themselves. */
import { createTroupe, type Run } from 'troupe'
import { expect, test } from 'vitest'
import { worker } from '../support/agents/agents.ts'

async function startedRun(): Promise<Run> {
  const { agent } = worker('agent', ['Done.'])
  return createTroupe({ agents: [agent] }).start(agent, 'Go')
}

test('its properties are listed and spread', async () => {
  const run = await startedRun()
  expect(Object.keys(run)).toEqual([
    'id',
    'events',
    'eventsAfter',
    'textStream',
    'approve',
    'deny',
    'resume',
    'say',
    'cancel',
    'signal',
    'actor',
    'result',
    'whenIdle',
  ])
  const copy = { ...run }
  expect(await copy.result).toMatchObject({ text: 'Done.' })
  expect(copy.actor).toBe(run.actor)
})

test('its functions and its iterators are taken by themselves', async () => {
  const { cancel, events, textStream, eventsAfter } = await startedRun()
  await cancel('Enough.')
  const spread = { ...events }
  const types: string[] = []
  for await (const { type } of spread) types.push(type)
  expect(types.at(-1)).toBe('run-finish')
  const read = textStream[Symbol.asyncIterator]
  expect(await read().next()).toMatchObject({ done: true })
  expect(() => eventsAfter('wrong')).toThrow('eventsAfter')
})

test('it is read behind a proxy that makes proxies of its objects, as the stores of views do', async () => {
  const run = reactive(await startedRun())
  expect(await run.whenIdle).toMatchObject({ text: 'Done.' })
  expect(await run.result).toMatchObject({ text: 'Done.' })
  expect(run.actor.id).toBe(run.id)
  run.actor.send({ type: 'cancel', cause: 'cancel' }) // too late, and no error
  expect(run.actor.getSnapshot()).toMatchObject({ status: 'done', output: { text: 'Done.' } })
  expect(run.actor.system.get('none')).toBeUndefined()
  const texts: string[] = []
  for await (const text of run.textStream) texts.push(text)
  expect(texts).toEqual(['Done.'])
  await run.cancel()
})

/** Promises and functions stay as they are. */
function reactive<Value extends object>(value: Value): Value {
  return new Proxy(value, {
    get(target, name, receiver) {
      const read: unknown = Reflect.get(target, name, receiver)
      return Object.prototype.toString.call(read) === '[object Object]' ? reactive(read as object) : read
    },
  })
}
