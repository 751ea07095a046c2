/** The rounds of a debate: who proposed what, who thought again, and who was not heard to the end. */
import type { Run } from 'troupe'
import { row } from '../support/report.ts'

const titles = ['Proposals, independently of each other', 'Criticism, and proposals anew', 'Reconciled']

export async function narrate(run: Run): Promise<void> {
  for await (const { type, path, payload } of run.events) {
    const isCouncil = !path.includes('/')
    if (type === 'step-start' && isCouncil) console.log(`\n${titles[payload.step - 1]}`)
    if (type === 'delegation-end' && payload.outcome === 'succeeded') row(payload.agentName, payload.text, 9)
    if (type === 'delegation-rejected') row(payload.agentName, `is not heard: ${payload.reason}`, 9)
    if (type === 'text-end' && isCouncil) row('chair', payload.text, 9)
  }
}
