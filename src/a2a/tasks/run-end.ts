/** The end of a run as the end of its task: the answer as its artifact, or why there is none. */
import {
  type FileData,
  type FileUrl,
  type FinalResult,
  type JsonValue,
  type RunEvent,
  TerminalError,
} from '../../index.ts'
import { deliveredFiles, toErrorData } from '../../kit/index.ts'
import { objectOnRecord, saysAnything } from '../../kit/host.ts'
import { Role, TaskState, type Artifact, type Part, type Task, type TaskStatus } from '@a2a-js/sdk'
import { dataPart, filePart, textPart } from '../messages/parts.ts'
import type { A2aTroupe } from './troupe.ts'
import { idOf, messageOf, placeOf, timeOf, withStatus, type TaskUpdate } from './task-of.ts'

export interface TaskEnd {
  /** Absent: there is no answer. */
  readonly artifact?: Artifact
  readonly status: TaskStatus
  readonly metadata: { readonly 'troupe/outcome': string }
}

/** `last`: the last event of the run. Rejects where the files of the answer cannot be read for now. */
export async function endOf(
  { blobs }: Pick<A2aTroupe, 'blobs'>,
  result: FinalResult,
  last: RunEvent,
): Promise<TaskEnd> {
  const { outcome } = result
  const ended = (state: TaskState, text?: string): Omit<TaskEnd, 'artifact'> => ({
    status: {
      state,
      message:
        text === undefined
          ? undefined
          : messageOf(placeOf(last), idOf(last), Role.ROLE_AGENT, [textPart(text)]),
      timestamp: timeOf(last.at),
    },
    metadata: { 'troupe/outcome': outcome },
  })
  if (outcome === 'cancelled') return ended(TaskState.TASK_STATE_CANCELED)
  const failure = failureOf(result)
  if (failure !== undefined) return ended(TaskState.TASK_STATE_FAILED, failure)
  try {
    const files = await deliveredFiles(result.files, blobs)
    return { artifact: answerOf(answerParts(result, files)), ...ended(TaskState.TASK_STATE_COMPLETED) }
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error // a file that is gone stays so
    return ended(
      TaskState.TASK_STATE_FAILED,
      `The answer of the agent cannot be read: ${toErrorData(error).code}.`,
    )
  }
}

function answerOf(parts: Part[]): Artifact {
  return {
    artifactId: 'answer',
    name: 'Answer',
    description: '',
    parts,
    metadata: undefined,
    extensions: [],
  }
}

/** The text, the object of `structuredOutput` as the journal has it, and the files: files alone where there is no text. */
function answerParts(result: FinalResult, files: readonly (FileData | FileUrl)[]): Part[] {
  const object = objectOnRecord(result) as JsonValue | undefined
  return [
    ...(result.text === '' && files.length > 0 ? [] : [textPart(result.text)]),
    ...(object === undefined || object === null ? [] : [dataPart(object)]),
    ...files.map(filePart),
  ]
}

/** Why the run gave no answer; errors are named by their codes alone. `undefined`: it gave one. */
function failureOf(result: FinalResult): string | undefined {
  switch (result.outcome) {
    case 'completed':
      return undefined
    case 'failed':
      return `The agent failed: ${result.error.code}.`
    case 'bailed':
      return saysAnything(result) ? undefined : 'The agent gave no answer.'
    case 'exhausted':
    case 'stopped':
      return saysAnything(result)
        ? undefined
        : `The agent gave no answer: ${result.outcome}, ${result.reason}.`
    case 'tripped':
    case 'cancelled':
      return `The agent gave no answer: ${result.outcome}, ${result.reason}.`
  }
}

/** Changes the task in place. */
export function withEnd(task: Task, { artifact, status, metadata }: TaskEnd): Task {
  return {
    ...withStatus(task, status),
    artifacts: artifact === undefined ? [] : [artifact],
    metadata: { ...metadata },
  }
}

export function updatesOfEnd({ artifact, status, metadata }: TaskEnd, last: RunEvent): TaskUpdate[] {
  const place = placeOf(last)
  const ended: TaskUpdate = { $case: 'statusUpdate', value: { ...place, status, metadata: { ...metadata } } }
  if (artifact === undefined) return [ended]
  const answered: TaskUpdate = {
    $case: 'artifactUpdate',
    value: { ...place, artifact, append: false, lastChunk: true, metadata: undefined },
  }
  return [answered, ended]
}
