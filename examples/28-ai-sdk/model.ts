/** A model of the AI SDK's own provider for OpenAI: the one that the environment names, else a scripted server. */
import { createOpenAI } from '@ai-sdk/openai'
import type { ChatModel } from 'troupe'
import { aiSdk } from 'troupe/ai-sdk'
import { chooseModel } from '../support/model.ts'
import type { Script } from '../support/scripted-server.ts'

export interface SdkModel extends AsyncDisposable {
  readonly model: ChatModel
  /** One line that says who answers. */
  readonly notice: string
}

export async function chooseSdkModel(script: Script): Promise<SdkModel> {
  const { notice, environment, model, ...source } = await chooseModel(script)
  const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey } = { ...process.env, ...environment }
  const provider = createOpenAI({ ...(baseURL ? { baseURL } : {}), ...(apiKey ? { apiKey } : {}) })
  return {
    model: aiSdk(provider.chat(model.modelId)),
    notice: notice.replace('the real openai driver', 'the real @ai-sdk/openai'),
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  }
}
