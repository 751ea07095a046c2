/** Evaluations: evaluators of `autoevals` as scorers, over recorded tools and within a run. */
import { createTroupe } from 'troupe'
import { evaluate, formatEvaluation, recordTools } from 'troupe/testing'
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createGuide } from './agents.ts'
import { cases } from './cases.ts'
import { createEditor } from './editor.ts'
import { judgeOf } from './judge.ts'
import { createFactuality, createJudge, isSimilar } from './scorers.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)
const judge = judgeOf(source)

// Once: the tools run, and their calls are recorded.
const guide = createGuide(source.model, 'before')
const troupe = createTroupe({ agents: [guide] })
const recorded = await Promise.all(
  cases.map(async (one) => {
    const run = await troupe.start(guide, one.prompt)
    return { ...one, recording: await recordTools(run.events) }
  }),
)

// From then on: the model answers anew, the tools answer from the recording, and the answers are scored.
for (const version of ['before', 'after'] as const) {
  const scorers = [isSimilar, createFactuality(judge)]
  const report = await evaluate(createGuide(source.model, version), recorded, { scorers })
  console.log(`\nThe guide ${version} the change of its instructions:\n\n${formatEvaluation(report).trim()}`)
}

// The same judge within a run: an answer counts when the judge accepts it.
const result = await createEditor(source.model, createJudge(judge)).generate(
  'The main entrance is closed until May. Tell the visitors.',
)
console.log('\nA judge within a run:')
for (const { outcome, results } of result.scores)
  console.log(`  ${outcome}: ${results.map(({ id, reason }) => `${id}: ${reason}`).join('; ')}`)
console.log(`Outcome: ${result.outcome}\nAnswer: ${result.text}`)
reportFailure(result)
