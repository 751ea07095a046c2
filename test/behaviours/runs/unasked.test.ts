/** BEHAVIOUR 46: a run that cannot be followed ends no process in which nobody waits for it. */
import { expect, test } from 'vitest'
import { runProgram } from '../../support/processes/run-program.ts'

const program = (how: string, hosted: string): string => `
import { createAgent, createTroupe, memoryStore } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { createActor } from 'xstate'

const inner = memoryStore()
let isFull = false
const gate = Promise.withResolvers()
const model = scriptedModel([], { otherwise: { text: 'Done.', until: gate.promise } })
const agent = createAgent({ id: 'solo', instructions: 'Work.', model })
const append = (appends) => {
  if (isFull) throw new Error('full')
  return inner.append(appends)
}
const troupe = createTroupe({ agents: [agent], store: { ...inner, append }, onError: () => undefined })
const run = await troupe.start(agent, 'Go')
const early = [run.result, run.whenIdle]
const actor = createActor(troupe.logic(agent), { input: { prompt: 'Go' } }).start()
for await (const event of run.events) if (event.type === 'step-start') break
${how}
for await (const event of run.events) if (event.final) throw new Error('It has not ended.')
const codes = await Promise.allSettled([...early, run.result, run.whenIdle])
while (actor.getSnapshot().status !== '${hosted}') await new Promise(setImmediate)
await new Promise((resolve) => setTimeout(resolve, 20)) // what nobody handles is noticed by then
console.log(codes.map(({ reason }) => reason?.code).join(), actor.getSnapshot().status)
`

/** As another process does when the lease has run out. */
const takenOver = `
const claim = (id, owner, _now, expiresAt) => inner.claim(id, owner, Number.MAX_VALUE, expiresAt)
await createTroupe({ agents: [agent], store: { ...inner, claim } }).resume(run.id)
gate.resolve()
`

test.each([
  ['is closed', 'await troupe.close()', 'TROUPE_CLOSED', 'error'],
  ['has lost a run', takenOver, 'LEASE_LOST', 'done'], // its other run goes on
  ['has a store that refuses', 'isFull = true; gate.resolve()', 'STORE_FAILED', 'error'],
])('a troupe that %s', async (_, how, code, hosted) => {
  const flags = ['--unhandled-rejections=strict']
  const ended = await runProgram(program(how, hosted), { flags })
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout.trim()).toBe(`${code},${code},${code},${code} ${hosted}`)
})
