/** The end of a run as the artifact of its task, or as its failure. */
import type { Part } from '@a2a-js/sdk'
import type { FileData, FileUrl } from '../../actors/content/content.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import type { FinalResult } from '../../runtime/handle/result.ts'
import { dataPart, filePart, textPart } from '../messages/parts.ts'

/** The text, the object of `structuredOutput`, and the files. */
export function answerParts(result: FinalResult, files: readonly (FileData | FileUrl)[]): Part[] {
  const object = result.outcome === 'completed' ? result.object : undefined
  return [
    textPart(result.text),
    ...(isRecord(object) ? [dataPart(object as Readonly<Record<string, JsonValue>>)] : []),
    ...files.map(filePart),
  ]
}

/** Why the run gave no answer; errors are named by their codes alone. `undefined`: it gave one. */
export function failureOf(result: FinalResult): string | undefined {
  switch (result.outcome) {
    case 'completed':
      return undefined
    case 'failed':
      return `The agent failed: ${result.error.code}.`
    case 'bailed':
      return result.text === '' ? 'The agent gave no answer.' : undefined
    case 'exhausted':
    case 'stopped':
      return result.text === '' ? `The agent gave no answer: ${result.outcome}, ${result.reason}.` : undefined
    case 'tripped':
    case 'cancelled':
      return `The agent gave no answer: ${result.outcome}, ${result.reason}.`
  }
}
