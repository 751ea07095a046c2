/** The other side: an agent of somebody else, with the SDK of the protocol and without a line of ours. */
import { Role, TaskState, type Part, type StreamResponse, type Task } from '@a2a-js/sdk'
import { ClientFactory, type Client } from '@a2a-js/sdk/client'

/** Reads the card at this address. */
export function connect(url: string): Promise<Client> {
  return new ClientFactory().createFromUrl(url)
}

/** Sends a text, tells of the work, and resolves with the task as it is then. */
export async function send(client: Client, text: string, task?: Task): Promise<Task> {
  const part: Part = {
    content: { $case: 'text', value: text },
    metadata: undefined,
    filename: '',
    mediaType: 'text/plain',
  }
  const message = {
    messageId: crypto.randomUUID(),
    contextId: task?.contextId ?? '',
    taskId: task?.id ?? '',
    role: Role.ROLE_USER,
    parts: [part],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  }
  let id = task?.id ?? ''
  for await (const { payload } of client.sendMessageStream({
    tenant: '',
    message,
    configuration: undefined,
    metadata: undefined,
  })) {
    if (payload?.$case === 'task') id = payload.value.id
    tell(payload)
  }
  return client.getTask({ id, tenant: '' })
}

function tell(payload: StreamResponse['payload']): void {
  if (payload?.$case === 'artifactUpdate')
    console.log(`  answer          ${textOf(payload.value.artifact?.parts)}`)
  if (payload?.$case !== 'statusUpdate') return
  const { state = TaskState.TASK_STATE_UNSPECIFIED, message } = payload.value.status ?? {}
  console.log(
    `  ${TaskState[state].replace('TASK_STATE_', '').padEnd(14)}  ${textOf(message?.parts)}`.trimEnd(),
  )
}

function textOf(parts: readonly Part[] = []): string {
  return parts.flatMap(({ content }) => (content?.$case === 'text' ? content.value : [])).join('\n')
}
