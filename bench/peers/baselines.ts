/** The loop and the XState machines of the bench, as contestants of this comparison. */
import { inProcessChat } from '../chats/in-process.ts'
import { loop } from '../contestants/loop.ts'
import { machine } from '../contestants/machine.ts'
import { machineWithChildren } from '../contestants/machine-with-children.ts'
import type { Baseline } from './field.ts'
import type { Create } from './work.ts'

export const baselineOf: Readonly<Record<Baseline, Create>> = {
  'async loop': (job) => loop(inProcessChat(), job).prepare(),
  XState: (job) =>
    (job.helper === undefined
      ? machine(inProcessChat(), job)
      : machineWithChildren(inProcessChat(), job, 'XState')
    ).prepare(),
}
