/**
 * The names of the registry of OpenTelemetry's conventions for generative AI, by the pages `registry/attributes/gen-ai.md`
 * and `gen-ai/*.md` of the documentation of `open-telemetry/semantic-conventions-genai`, and those of general conventions beside them.
 */

const namespaces: Readonly<Record<string, string>> = {
  'gen_ai.agent': 'description id name version',
  'gen_ai.conversation': 'compacted id',
  'gen_ai.data_source': 'id',
  'gen_ai.embeddings': 'dimension.count',
  'gen_ai.evaluation': 'explanation name score.label score.value',
  'gen_ai.input': 'messages',
  'gen_ai.memory': 'query.text record.count record.id records store.id',
  'gen_ai.operation': 'name',
  'gen_ai.output': 'messages type',
  'gen_ai.prompt': 'name version',
  'gen_ai.provider': 'name',
  'gen_ai.request':
    'choice.count encoding_formats frequency_penalty max_tokens model presence_penalty previous_response.id reasoning.level seed stop_sequences stream temperature top_k top_p',
  'gen_ai.response': 'finish_reasons id model time_to_first_chunk',
  'gen_ai.retrieval': 'documents query.text',
  'gen_ai.token': 'cache modality phase type',
  'gen_ai.tool': 'call.arguments call.id call.result definitions description name type',
  'gen_ai.usage':
    'audio.cache_read.input_tokens audio.input_tokens audio.output_tokens cache_read.input_tokens cache_write.input_tokens image.cache_read.input_tokens image.input_tokens image.output_tokens input_tokens output_tokens reasoning.output_tokens text.cache_read.input_tokens text.input_tokens text.output_tokens',
  'gen_ai.workflow': 'name',
  error: 'type',
  server: 'address port',
}

/** The attributes of spans and metrics. */
export const registeredAttributes: ReadonlySet<string> = new Set([
  'gen_ai.system_instructions',
  ...Object.entries(namespaces).flatMap(([namespace, names]) =>
    names.split(' ').map((name) => `${namespace}.${name}`),
  ),
])

const metricNamespaces: Readonly<Record<string, string>> = {
  'gen_ai.client.inference':
    'duration time_to_first_chunk time_per_output_chunk usage.input_tokens usage.output_tokens usage.cache_read.input_tokens usage.cache_write.input_tokens usage.reasoning.output_tokens operation.input_tokens operation.output_tokens',
  'gen_ai.invoke_agent': 'duration inference_calls tool_calls',
  'gen_ai.execute_tool': 'duration',
  'gen_ai.workflow': 'duration',
}

export const registeredMetrics: ReadonlySet<string> = new Set(
  Object.entries(metricNamespaces).flatMap(([namespace, names]) =>
    names.split(' ').map((name) => `${namespace}.${name}`),
  ),
)
