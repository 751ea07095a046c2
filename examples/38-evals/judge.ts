/** The model that the evaluators of an example ask: the one of its agents. */
import type { ExampleModel } from '../support/model.ts'
import type { JudgeModel } from './scorers.ts'

export function judgeOf({ model, environment }: ExampleModel): JudgeModel {
  const { OPENAI_BASE_URL: openAiBaseUrl, OPENAI_API_KEY: openAiApiKey } = environment
  return {
    model: model.modelId,
    ...(openAiBaseUrl ? { openAiBaseUrl } : {}),
    ...(openAiApiKey ? { openAiApiKey } : {}),
  }
}
