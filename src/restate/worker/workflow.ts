/** The workflow service of one agent. */
import { handlers, workflow, type WorkflowDefinition } from '@restatedev/restate-sdk'
import { reportSerde } from '../wire/bounded-serdes.ts'
import { DurableRun, type RunHome } from './durable-run.ts'
import { forRestate, toRestateError } from '../wire/terminal-errors.ts'
import { serviceOf } from '../wire/addresses.ts'
import { readWorkflow } from './journal-handler.ts'
import { assertRequest } from '../wire/payload-limits.ts'
import { tellWorkflow } from './signal-handler.ts'
import type {
  AgentHandlers,
  ReadReply,
  ReadRequest,
  RunReport,
  RunRequest,
  Tell,
  Told,
} from '../wire/wire.ts'
import type { WorkflowSettings } from './workflow-settings.ts'

export type AgentWorkflow = WorkflowDefinition<string, AgentHandlers>

/** Short calls beside the run: their journals have no use afterwards. */
const beside = { journalRetention: 0 } as const

export function workflowOf(agentId: string, home: RunHome, settings: WorkflowSettings): AgentWorkflow {
  return workflow({
    name: serviceOf(home.namespace, agentId),
    handlers: {
      run: handlers.workflow.workflow<RunReport, RunRequest>(
        { output: reportSerde },
        async (context, request) => {
          try {
            assertRequest('What the run begins with', context.request().body.length)
            return await new DurableRun(context, request, home).run()
          } catch (error) {
            throw forRestate(error)
          }
        },
      ),
      tell: handlers.workflow.shared<Told, Tell>(beside, (context, told) =>
        tellWorkflow(context, told, home.registry),
      ),
      read: handlers.workflow.shared<ReadReply, ReadRequest>(beside, readWorkflow),
    },
    options: {
      ...settings,
      // The run itself handles a cancel: each of its agents still owes an outcome.
      explicitCancellation: true,
      enableLazyState: true,
      asTerminalError: toRestateError,
    },
  })
}
