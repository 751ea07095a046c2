/** Time travel: what happened, how it was at any moment, and what would have happened otherwise. */
import { createTroupe, type ForkOptions } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createPlanner } from './agents.ts'
import { script } from './script.ts'
import { historyLine, momentLines } from './views.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const planner = createPlanner(source.model)
const troupe = createTroupe({ agents: [planner] })
const run = await troupe.start(planner, 'How do I get from Berlin to Paris today?')
const result = await run.result
console.log(`\nAnswer: ${result.text}`)
reportFailure(result)

console.log('\nWhat happened:')
const history = await troupe.history(run.id)
for (const entry of history) console.log(historyLine(entry))

const looked = history.findIndex(({ type, kind }) => type === 'effect.settled' && kind === 'tool')
console.log(`\nHow it was before entry ${looked}, and after it:`)
for (const until of [looked, looked + 1]) {
  for (const line of momentLines(await troupe.replay(run.id, { until }))) console.log(line)
  console.log()
}

console.log(`What if the fares had been others? A fork shares entries 0 to ${looked}, but not that outcome:`)
const fares = { train: 210, plane: 140 }
await fork({ at: looked + 1, patch: { value: { type: 'returned', value: fares } } })

console.log('\nWhat if they could not have been looked up?')
const error = { name: 'Error', code: 'DOWN', message: 'The timetable is down.' }
await fork({ at: looked + 1, patch: { error } })

console.log('\nThe runs:')
for (const { runId, entries, forkedFrom } of (await troupe.runs()).items) {
  const origin = forkedFrom === undefined ? '' : ', a fork of the first'
  console.log(`  ${runId === run.id ? 'the first' : 'another'}: ${entries} entries${origin}`)
}

async function fork(options: ForkOptions): Promise<void> {
  const other = await troupe.fork(run.id, options)
  const { text, usage } = await other.result
  const shared = history.slice(0, options.at).reduce((sum, entry) => sum + (entry.usage?.totalTokens ?? 0), 0)
  console.log(`  Answer: ${text}`)
  console.log(`  It cost ${usage.totalTokens - shared} tokens more; ${shared} were spent by the first run.`)
}
