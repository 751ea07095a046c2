/**
 * The risk profile of a partner, from the question to the answer and back: a meta-router chooses type and pattern,
 * four investigations run side by side with tools of their own, one fails, what there is is put together, and the
 * provenance says why the answer is what it is. `npm run example -- <this file> risk.ttl` writes it as Turtle.
 */
import { writeFile } from 'node:fs/promises'
import { createTroupe } from 'troupe'
import { formatExplanation, provenanceOf, why } from 'troupe/provenance'
import { chooseModel } from '../support/model.ts'
import { reportFailure } from '../support/report.ts'
import { createPartnerCheck } from './agents.ts'
import { narrate, showAssessment } from './narrate.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const check = createPartnerCheck(source.model)
const troupe = createTroupe({ agents: [check] })
const run = await troupe.start(check, 'Assess the risk profile of Company X as a potential partner')
await narrate(run)

const result = await run.result
console.log(`\nOutcome: ${result.outcome}`)
showAssessment(result.text)
reportFailure(result)

const provenance = await provenanceOf(troupe, run.id)
console.log('\nWhy?')
console.log(formatExplanation(why(provenance)))

const file = process.argv[2]
if (file === undefined) console.log(`\n${provenance.quads.length} statements of provenance.`)
else {
  await writeFile(file, provenance.toTurtle())
  console.log(`\n${provenance.quads.length} statements of provenance, written to ${file}.`)
}
