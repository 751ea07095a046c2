/** Bail: a subagent's answer ends the run, and the supervisor's last model call is never made. */
import type { RunResult } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { createFrontDesk } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const question = 'Can I still return the shoes that I bought three weeks ago?'
const withBail = await createFrontDesk(source.model, { bail: true }).generate(question)
const withoutBail = await createFrontDesk(source.model, { bail: false }).generate(question)

show('With bail', withBail)
show('Without bail', withoutBail)

const saved = withoutBail.usage.totalTokens - withBail.usage.totalTokens
const percent = Math.round((100 * saved) / withoutBail.usage.totalTokens)
console.log(`\nThe bail saved ${saved} of ${withoutBail.usage.totalTokens} tokens (${percent} %).`)

function show(title: string, result: RunResult): void {
  const by = result.outcome === 'bailed' ? ` by ${result.by}` : ''
  console.log(`\n${title}: ${result.outcome}${by}, ${result.usage.totalTokens} tokens`)
  console.log(`  ${result.text}`)
  if (result.outcome === 'failed') {
    console.error(`  ${result.error.message}`)
    process.exitCode = 1
  }
}
