/** How to connect agents: what to paste into each client. `%ORIGIN%` and `%KEY%` are placeholders. */

export interface AgentClient {
  name: string
  label: string
  /** Where the text goes. */
  place: string
  text: string
}

export const NO_KEY = 'LOGBOOM_KEY'

/** Names of the tools, to choose which ones a key may use. */
export const TOOLS = [
  'list_indexes',
  'list_environments',
  'list_fields',
  'field_values',
  'chart',
  'count',
  'search',
  'patterns',
  'compare',
  'event_context',
  'read_event',
  'explain_query',
  'saved_queries',
  'alerts',
]

const CLAUDE_CODE: AgentClient = {
  name: 'claude-code',
  label: 'Claude Code',
  place: 'In a shell',
  text: `claude mcp add --transport http logboom %ORIGIN%/mcp --header "Authorization: Bearer %KEY%"`,
}

export const CLIENTS: AgentClient[] = [
  CLAUDE_CODE,
  {
    name: 'claude-desktop',
    label: 'Claude Desktop',
    place: 'claude_desktop_config.json',
    text: `{
  "mcpServers": {
    "logboom": {
      "command": "logboom",
      "args": ["mcp"],
      "env": { "LOGBOOM_URL": "%ORIGIN%", "LOGBOOM_TOKEN": "%KEY%" }
    }
  }
}`,
  },
  {
    name: 'codex',
    label: 'Codex',
    place: '~/.codex/config.toml',
    text: `[mcp_servers.logboom]
url = "%ORIGIN%/mcp"
http_headers = { Authorization = "Bearer %KEY%" }`,
  },
  {
    name: 'cursor',
    label: 'Cursor',
    place: '~/.cursor/mcp.json',
    text: `{
  "mcpServers": {
    "logboom": {
      "url": "%ORIGIN%/mcp",
      "headers": { "Authorization": "Bearer %KEY%" }
    }
  }
}`,
  },
  {
    name: 'vscode',
    label: 'VS Code',
    place: '.vscode/mcp.json',
    text: `{
  "servers": {
    "logboom": {
      "type": "http",
      "url": "%ORIGIN%/mcp",
      "headers": { "Authorization": "Bearer %KEY%" }
    }
  }
}`,
  },
  {
    name: 'http',
    label: 'Any client, over HTTP',
    place: 'In a shell, to try it',
    text: `curl %ORIGIN%/mcp \\
  -H "Authorization: Bearer %KEY%" \\
  -H "Content-Type: application/json" \\
  -H "Accept: application/json, text/event-stream" \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
  },
  {
    name: 'stdio',
    label: 'Any client, over standard input',
    place: 'The command that the client starts',
    text: `LOGBOOM_URL=%ORIGIN% LOGBOOM_TOKEN=%KEY% logboom mcp`,
  },
]

export function findClient(name: string): AgentClient {
  return CLIENTS.find((each) => each.name === name) ?? CLAUDE_CODE
}

export function fillClient(client: AgentClient, origin: string, key: string): string {
  return client.text.replaceAll('%ORIGIN%', origin).replaceAll('%KEY%', key)
}
