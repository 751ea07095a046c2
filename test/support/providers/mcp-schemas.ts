/**
 * Schemas of tools with the names and the shapes of those of public MCP servers: what their generators write. The words of
 * the servers are not here.
 */
type JsonObject = Readonly<Record<string, unknown>>

const text = { type: 'string' }
const draft7 = 'http://json-schema.org/draft-07/schema#'

export const mcpSchemas: Readonly<Record<string, JsonObject>> = {
  git_remote: {
    type: 'object',
    properties: {
      mode: { type: 'string', enum: ['list', 'add', 'remove'], default: 'list' },
      name: text,
      url: { type: 'string', format: 'uri' },
    },
    required: [],
    additionalProperties: false,
    $schema: draft7,
  },
  edit_file: {
    type: 'object',
    properties: {
      path: text,
      edits: {
        type: 'array',
        items: {
          type: 'object',
          properties: { oldText: text, newText: text },
          required: ['oldText', 'newText'],
          additionalProperties: false,
        },
      },
      dryRun: { type: 'boolean', default: false },
    },
    required: ['path', 'edits'],
    additionalProperties: false,
  },
  browser_click: {
    type: 'object',
    properties: {
      ref: text,
      button: { type: 'string', enum: ['left', 'right', 'middle'] },
      modifiers: { type: 'array', items: { type: 'string', enum: ['Alt', 'Control'] } },
      position: { type: 'array', items: [{ type: 'number' }, { type: 'number' }], additionalItems: false },
    },
    required: ['ref'],
    $schema: draft7,
  },
  create_pages: {
    type: 'object',
    properties: {
      parent: {
        oneOf: [
          { type: 'object', properties: { page_id: text }, required: ['page_id'] },
          { type: 'object', properties: { database_id: text }, required: ['database_id'] },
        ],
      },
      properties: { type: 'object', additionalProperties: { type: ['string', 'number', 'null'] } },
      children: { type: 'array' },
    },
    required: ['parent'],
  },
  update_issue: {
    type: 'object',
    properties: {
      id: { type: 'integer', exclusiveMinimum: 0 },
      assignee: { type: ['object', 'null'], properties: { login: text }, required: ['login'] },
      labels: { type: 'array', items: text, uniqueItems: true, maxItems: 100 },
      due: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
    },
    required: ['id'],
    anyOf: [{ required: ['labels'] }, { required: ['due'] }],
  },
  send_event: {
    type: 'object',
    properties: {
      kind: { const: 'deploy' },
      payload: {},
      at: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
      key: { type: 'string', pattern: '^(?!tmp-)[a-z-]+$', minLength: 3 },
      meta: { type: 'object', propertyNames: { pattern: '^[a-z]+$' }, additionalProperties: true },
    },
    required: ['kind', 'payload'],
  },
  query_tree: {
    type: 'object',
    properties: { where: { $ref: '#/definitions/Filter' } },
    required: ['where'],
    definitions: {
      Filter: {
        type: 'object',
        properties: {
          field: text,
          and: { type: 'array', items: { $ref: '#/definitions/Filter' } },
          not: { allOf: [{ $ref: '#/definitions/Filter' }] },
        },
      },
    },
  },
  list_threads: {
    type: 'object',
    properties: { parent: { $ref: '#' }, limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
  },
  run_command: {
    type: 'object',
    oneOf: [
      { properties: { command: text }, required: ['command'] },
      { properties: { script: text, command: { type: 'array', items: text } }, required: ['script'] },
    ],
  },
  no_arguments: { type: 'object' },
}
