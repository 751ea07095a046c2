/** Work in the background that a supervisor does not wait for, one task that is called off, and a budget for all. */
import { createTroupe, type AnyAgent, type BudgetOptions, type Run } from 'troupe'
import { chooseModel } from '../support/model.ts'
import { reportFailure, row } from '../support/report.ts'
import { createNewsletter } from './agents.ts'
import { script } from './script.ts'

await using source = await chooseModel(script)
console.log(source.notice)

const { modelId } = source.model
const prices = { [modelId]: { input: 0.25, output: 2 } }
const open = createNewsletter(source.model, { archiveIsOpen: true })
const closed = createNewsletter(source.model, { archiveIsOpen: false })
const again = createNewsletter(source.model, { archiveIsOpen: true })

await play('The archivist works in the background:', open, { prices })
await play(
  'The archive is closed, and the user calls the archivist off:',
  closed,
  { prices },
  (run, taskId) => run.cancel('The archive is closed today.', { delegationId: taskId }),
)
await play('The whole team may call its model four times:', again, { modelCalls: 4, warnAt: 0.75, prices })

/** `whenBothWait`: the editor has a draft and waits for the archivist, who waits for the archive. */
async function play(
  title: string,
  editor: AnyAgent<{ budget: BudgetOptions }>,
  budget: BudgetOptions,
  whenBothWait?: (run: Run, taskId: string) => void,
): Promise<void> {
  console.log(`\n${title}`)
  const run = await createTroupe({ agents: [editor] }).start(editor, 'Write about the spring fair.', {
    budget,
  })
  let taskId = ''
  const waiting = new Set<string>()
  const waits = (agent: string): void => {
    if (waiting.size < 2 && waiting.add(agent).size === 2) whenBothWait?.(run, taskId)
  }
  for await (const event of run.events) {
    const { type, payload } = event
    if (type === 'background-start') {
      taskId = payload.taskId
      row('begins', payload.agentName ?? '')
    }
    if (type === 'background-end') row('ends', `${payload.agentName}: ${payload.outcome}`)
    if (type === 'text-end' && event.path === 'editor') row('editor', payload.text)
    if (type === 'budget-warning') row('warning', `${payload.used} of ${payload.max} model calls`)
    if (type === 'iteration-end' && payload.iteration === 2) waits('editor')
    if (type === 'tool-call') waits('archivist')
  }
  const result = await run.result
  row('outcome', result.outcome === 'exhausted' ? `exhausted: ${result.reason}` : result.outcome)
  for (const [agent, { cost = 0 }] of Object.entries(result.usage.byAgent))
    row('cost', `${agent} ${money(cost)}`)
  row('cost', `all of them ${money(result.usage.cost ?? 0)}`)
  reportFailure(result)
}

function money(cost: number): string {
  return `$${cost.toFixed(6)}`
}
