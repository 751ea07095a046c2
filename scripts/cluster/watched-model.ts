/** A model that says for whom it is called, so that it can be seen which worker runs what. */
import type { ChatModel } from 'troupe'

export function watchedModel(model: ChatModel, onCall: (path: string) => void): ChatModel {
  return {
    provider: model.provider,
    modelId: model.modelId,
    generate(request, options) {
      // The run's id, the path of who asks, and the effect. Agents are the actors whose id has no ":".
      const [, ...path] = options.idempotencyKey.split('/').slice(0, -1)
      onCall(path.slice(0, path.findLastIndex((id) => !id.includes(':')) + 1).join('/'))
      return model.generate(request, options)
    },
  }
}
