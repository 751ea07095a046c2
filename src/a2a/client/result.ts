/** What a task of another system comes to. */
import type { FileData, FileUrl } from '../../index.ts'
import { base64Of, isMediaType, isWebUrl, toJsonValue } from '../../kit/index.ts'
import type { RemoteAnswer, RemoteFollowed, RemoteTask } from '../../kit/host.ts'
import { TaskState, type Message, type Part, type Task } from '@a2a-js/sdk'
import { shortened } from './failures.ts'
import { questionOf } from './question.ts'
import { textsIn } from './texts.ts'

export function taskNames({ id, contextId }: Pick<Task, 'id' | 'contextId'>): RemoteTask {
  return { id, contextId }
}

/** Whether the server is at work on the task no more, or waits. */
export function isAtRest(state: TaskState | undefined): boolean {
  switch (state) {
    case TaskState.TASK_STATE_SUBMITTED:
    case TaskState.TASK_STATE_WORKING:
      return false
    default:
      return true
  }
}

/** The outcome of a task that is at rest; `working` for any other. `answered`: the last question that was answered. */
export function outcomeOf(task: Task, answered: string | undefined): RemoteFollowed {
  const { status, artifacts } = task
  const said = status?.message?.parts ?? []
  switch (status?.state) {
    case TaskState.TASK_STATE_COMPLETED: {
      const parts = artifacts.flatMap((artifact) => artifact.parts)
      return answerIn(parts.length === 0 ? said : parts)
    }
    case TaskState.TASK_STATE_INPUT_REQUIRED:
    case TaskState.TASK_STATE_AUTH_REQUIRED: {
      const question = questionOf(task)
      return question.id === answered ? { type: 'working' } : { type: 'asks', question }
    }
    case TaskState.TASK_STATE_FAILED:
      return ended('REMOTE_FAILED', 'failed', said)
    case TaskState.TASK_STATE_REJECTED:
      return ended('REMOTE_REJECTED', 'was rejected', said)
    case TaskState.TASK_STATE_CANCELED:
      return ended('REMOTE_CANCELLED', 'was cancelled', said)
    case TaskState.TASK_STATE_SUBMITTED:
    case TaskState.TASK_STATE_WORKING:
      return { type: 'working' }
    case undefined:
    case TaskState.TASK_STATE_UNSPECIFIED:
    case TaskState.UNRECOGNIZED: // nothing tells that it would ever end
      return ended('REMOTE_STATE_UNKNOWN', 'has no state that is known', said)
  }
}

function ended(code: string, how: string, parts: readonly Part[]): RemoteFollowed {
  const text = textsIn(parts).join('\n')
  const message = `The task ${how}${text === '' ? '.' : `: ${shortened(text)}`}`
  return { type: 'ended', code, message }
}

/** A message that answers without a task. */
export function answerOf({ parts }: Message): RemoteAnswer {
  return answerIn(parts)
}

function answerIn(parts: readonly Part[]): RemoteAnswer {
  const data = parts.flatMap(({ content }) =>
    content?.$case === 'data' ? [toJsonValue(content.value, 'The data of the answer')] : [],
  )
  const texts = textsIn(parts)
  const object = data.at(-1)
  const files = parts.flatMap((part) => fileIn(part) ?? [])
  return {
    type: 'answered',
    text: (texts.length > 0 ? texts : data.map((value) => JSON.stringify(value))).join('\n'),
    ...(object === undefined ? {} : { object }),
    ...(files.length === 0 ? {} : { files }),
  }
}

/** A file at an address that is none of the web is left out: no reader could fetch it. */
function fileIn({ content, mediaType: given, filename }: Part): FileData | FileUrl | undefined {
  const facts = {
    type: 'file',
    mediaType: isMediaType(given) ? given : 'application/octet-stream',
    ...(filename === '' ? {} : { name: filename }),
  } as const
  switch (content?.$case) {
    case 'raw':
      return { ...facts, data: base64Of(content.value) }
    case 'url':
      return isWebUrl(content.value) ? { ...facts, url: content.value } : undefined
    default:
      return undefined
  }
}
