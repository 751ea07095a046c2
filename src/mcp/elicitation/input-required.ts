/** Reads the answer of a server that asks before it goes on. */
import { TerminalError } from '../../index.ts'
import { isRecord, isWebUrl, toJsonValue } from '../../kit/index.ts'
import type { Elicitation, ElicitationQuestion } from './question.ts'

/** The part of an answer that asks: without questions, the server wants the same call again, with its state. */
export interface InputRequired {
  readonly inputRequests: Readonly<Record<string, unknown>>
  readonly requestState?: string
}

/** `undefined` for an answer that is complete. */
export function inputRequiredOf(answer: Readonly<Record<string, unknown>>): InputRequired | undefined {
  if (answer['resultType'] !== 'input_required') return undefined
  const { inputRequests, requestState } = answer
  return {
    inputRequests: isRecord(inputRequests) ? inputRequests : {},
    ...(typeof requestState === 'string' ? { requestState } : {}),
  }
}

/** Throws a `TerminalError` for a request that is no question to a person. */
export function elicitationOf(tool: string, { inputRequests, requestState }: InputRequired): Elicitation {
  const questions = Object.entries(inputRequests).map(([name, request]) => [name, questionOf(tool, request)])
  return {
    type: 'mcp-elicitation',
    tool,
    questions: Object.fromEntries(questions) as Elicitation['questions'],
    ...(requestState === undefined ? {} : { requestState }),
  }
}

function questionOf(tool: string, request: unknown): ElicitationQuestion {
  const { method, params } = isRecord(request) ? request : {}
  if (method !== 'elicitation/create' || !isRecord(params)) {
    throw new TerminalError(
      `The tool "${tool}" asks for "${String(method)}". Only questions to a person are answered.`,
      { code: 'MCP_REQUEST_UNSUPPORTED' },
    )
  }
  const { mode, message, url, requestedSchema } = params
  const text = typeof message === 'string' ? message : ''
  if (mode === 'url') {
    // A person opens it: an address of another kind could run a script, or another program.
    if (isWebUrl(url)) return { mode, message: text, url: url }
    throw new TerminalError(
      `The tool "${tool}" asks a person to open what is no address of the web (http or https).`,
      {
        code: 'MCP_REQUEST_UNSUPPORTED',
      },
    )
  }
  const schema = toJsonValue(requestedSchema ?? { type: 'object' }, `The form of the tool "${tool}"`)
  return { mode: 'form', message: text, requestedSchema: isRecord(schema) ? schema : {} }
}
