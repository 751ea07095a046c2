/** Two subagents that are called at once: `explore` must come to both orders of their ends, for each way to end. */
import { createAgent, createSupervisor } from 'troupe'
import { answers, calls, explore, fails, scriptedModel, sometimes, type RunView } from 'troupe/testing'

const model = scriptedModel([])
const clerk = createAgent({ id: 'clerk', description: 'Checks.', model })
const payer = createAgent({ id: 'payer', description: 'Pays.', model })
const desk = createSupervisor({ id: 'desk', model, agents: { clerk, payer } })

const hasEnded = (run: RunView, agent: string): boolean => run.succeeded(agent) || run.failed(agent)
const isBefore = (first: string, second: string) =>
  sometimes((run) => hasEnded(run, first) && !hasEnded(run, second))
const failsBefore = (first: string, second: string) =>
  sometimes((run) => run.failed(first) && !hasEnded(run, second))

const report = await explore(desk, {
  say: {
    desk: [answers('Done.'), calls({ clerk: 'Check.', payer: 'Pay.' })],
    clerk: [answers('Fine.'), fails()],
    payer: [answers('Paid.'), fails()],
  },
  rules: {
    'the clerk ends first': isBefore('clerk', 'payer'),
    'the payer ends first': isBefore('payer', 'clerk'),
    'the clerk fails first': failsBefore('clerk', 'payer'),
    'the payer fails first': failsBefore('payer', 'clerk'),
  },
})
report.assert()
if (!report.isComplete) throw new Error('The exploration is not complete.')
console.log(`Both orders are covered, in ${report.states} states.`)
