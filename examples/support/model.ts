/** The model of an example: the one that the environment names, else a scripted server on this machine. */
import { openai, type ChatModel } from 'troupe'
import type { Script } from './scripted-server.ts'

export interface ModelEndpoint {
  readonly baseURL: string
  readonly apiKey: string
  readonly modelId: string
}

export interface ExampleModel extends AsyncDisposable {
  readonly model: ChatModel
  /** One line that says who answers. */
  readonly notice: string
  /** Where the model is, for a server that passes the requests of its pages on. */
  readonly endpoint: ModelEndpoint
  /** With these in its environment, another process is given the same model. */
  readonly environment: Readonly<Record<string, string>>
}

export async function chooseModel(script: Script): Promise<ExampleModel> {
  const key = process.env['OPENAI_API_KEY']?.trim()
  const baseURL = process.env['OPENAI_BASE_URL']?.trim()
  const modelId = process.env['OPENAI_MODEL']?.trim() || 'gpt-5-mini'
  if (key || baseURL) {
    return {
      model: openai(modelId),
      notice: `Model: ${modelId} at ${baseURL || 'OpenAI'}.`,
      endpoint: { baseURL: baseURL || 'https://api.openai.com/v1', apiKey: key ?? '', modelId },
      environment: {},
      [Symbol.asyncDispose]: async () => undefined,
    }
  }
  const { startScriptedServer } = await import('./scripted-server.ts')
  const server = await startScriptedServer(script)
  const place = { baseURL: server.url, apiKey: 'scripted' }
  return {
    model: openai('scripted', place),
    endpoint: { ...place, modelId: 'scripted' },
    notice: `Offline: the real openai driver, talking to a scripted model at ${server.url}. Set OPENAI_API_KEY to use a real one.`,
    environment: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'scripted', OPENAI_MODEL: 'scripted' },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
