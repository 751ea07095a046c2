/** The progress of a task, as the event `tool-progress` of the call `remote-task` tells it. */
import type { JsonValue } from '../../index.ts'
import { TaskState, type StreamResponse } from '@a2a-js/sdk'
import { textsIn } from './texts.ts'

/** Characters of one report. */
const longest = 16_384

/** `{ status }`: what the server says of its work. `{ artifact }`: a piece of its answer. */
export function progressIn(payload: StreamResponse['payload']): JsonValue | undefined {
  switch (payload?.$case) {
    case 'statusUpdate': {
      const { state, message } = payload.value.status ?? {}
      const text = textsIn(message?.parts ?? []).join('\n')
      return state !== TaskState.TASK_STATE_WORKING || text === ''
        ? undefined
        : { status: text.slice(0, longest) }
    }
    case 'artifactUpdate': {
      const text = textsIn(payload.value.artifact?.parts ?? []).join('\n')
      return text === '' ? undefined : { artifact: text.slice(0, longest) }
    }
    default:
      return undefined
  }
}
