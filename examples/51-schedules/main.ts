/**
 * Work that wakes up: a report at nine on the wall of Vienna, over the change to summer time, and two clerks who sleep for three days.
 * A clock of `troupe/testing` makes the days pass at once; with a `createTroupe` of your own they take their time.
 */
import { cron } from 'troupe/cron'
import { createTroupeOn, virtualClock } from 'troupe/testing'
import { chooseModel } from '../support/model.ts'
import { createClerk, createReporter } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const clock = virtualClock({ start: new Date('2026-03-27T09:00:00Z') })
const reporter = createReporter(source.model)
const clerk = createClerk(source.model)
const troupe = createTroupeOn(clock, { agents: [reporter, clerk], cron })

const late = await troupe.start(clerk, 'The bill of Ann.', { runId: 'ann' })
const early = await troupe.start(clerk, 'The bill of Ben.', { runId: 'ben' })
for (const run of [late, early]) {
  const idle = await run.whenIdle
  const [question] = idle.outcome === 'suspended' ? idle.awaiting : []
  console.log(`${run.id} sleeps: ${JSON.stringify(question?.payload)}`)
  if (run === early && question !== undefined) await run.resume(question.toolCallId, 'Ben has paid.')
}
console.log(`ben: ${(await early.result).text}`)

await troupe.schedule(reporter, 'The report, please.', {
  key: 'report',
  cron: '0 9 * * *',
  timeZone: 'Europe/Vienna',
})
for (let day = 0; day < 3; day++) {
  await clock.advance('1d')
  const { last, next = 0 } = (await troupe.schedules.get('report')) ?? {}
  const run = await troupe.resume(last?.runId ?? '')
  console.log(`${run.id}: ${(await run.result).text} Next: ${new Date(next).toISOString()}`)
}
console.log(`ann: ${(await late.result).text}`)
await troupe.close()
