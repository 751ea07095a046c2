/** Exploring an agent: every order in which its subagents, people and timers may act, and a rule that one order breaks. */
import {
  answers,
  calls,
  explore,
  fails,
  never,
  precedes,
  returns,
  scriptedModel,
  type ExploreReport,
} from 'troupe/testing'
import { clerkAsked, clerkFirst, createDesk } from './agents.ts'

const model = scriptedModel([]) // it is never asked: the exploration gives every reply

const suite = {
  task: 'Refund order A-17.',
  say: {
    desk: [
      answers('Done.'),
      calls({ clerk: 'Check order A-17.' }),
      calls({ payer: 'Refund order A-17.' }),
      calls({ clerk: 'Check order A-17.', payer: 'Refund order A-17.' }),
    ],
    clerk: [answers('It may be refunded.'), fails()],
    payer: [answers('It is refunded.'), calls({ refund: { order: 'A-17' } })],
  },
  tools: { refund: [returns({ receipt: 'r-1' })] },
  adversary: { cancel: false, cancelDelegations: false },
  rules: {
    'no refund before the check': never((run) => run.returned('refund') && !run.succeeded('clerk')),
    'a person approves each refund': precedes('tool-call-answered', 'tool-result', { tool: 'refund' }),
  },
} as const

console.log('A desk whose hook asks whether the clerk was asked:')
const hasty = await explore(createDesk(model, clerkAsked), suite)
show(hasty)
const [violation] = hasty.violations
console.log(`\n${violation?.diagram()}`)

console.log('\nA desk whose hook asks whether the clerk has checked the order:')
const careful = await explore(createDesk(model, clerkFirst), suite)
show(careful)
const paths = careful.paths().slice(0, 5)
for (const path of paths) await path.run()
console.log(
  `  ${paths.length} of its paths were run on the asynchronous engine, for example: ${paths[0]?.name}`,
)

function show(report: ExploreReport): void {
  const { outcomes, isComplete, violations } = report
  console.log(`  complete: ${isComplete}, outcomes: ${Object.keys(outcomes).toSorted().join(', ')}`)
  for (const { rule, message, steps } of violations) {
    console.log(`  Broken: ${rule}. ${message}`)
    for (const [index, step] of steps.entries()) console.log(`    ${index + 1}. ${step}`)
  }
  if (violations.length === 0) console.log('  Every rule holds, in every order.')
}
