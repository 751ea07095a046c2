/** The provider and the model of a model call, as the conventions name them. */

/** The names of the conventions, where they differ from those that models have here. */
const names: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  bedrock: 'aws.bedrock',
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
  'google-generative-ai': 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  vertex: 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshotai: 'moonshot_ai',
  xai: 'x_ai',
}

export interface ModelName {
  readonly provider: string
  readonly model: string
}

/** `name`: `<provider>/<model>`. The AI SDK names an API after its provider, as in `anthropic.messages`. */
export function modelOf(name = ''): ModelName {
  const end = name.indexOf('/')
  const provider = name.slice(0, Math.max(end, 0))
  const [first = provider, second] = provider.split('.')
  const known = names[`${first}-${second}`] ?? names[second === 'vertex' ? 'vertex' : first]
  return { provider: known ?? first, model: name.slice(end + 1) }
}
