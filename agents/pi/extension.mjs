// What Parley adds to Pi for one launch: the MCP servers of the session, and a
// question before a tool runs. It decides nothing. Pi loads it with -e, and
// everything of it ends with the process.
import { readFileSync } from "node:fs";

const { mcpServers } = JSON.parse(readFileSync(new URL("./servers.json", import.meta.url), "utf8"));

export default function parley(pi) {
	for (const [name, server] of Object.entries(mcpServers)) pi.registerMcpServer(name, server);

	pi.on("tool_call", async (event, ctx) => {
		let answer = {};
		try {
			const call = { parley: "permission", id: event.toolCallId, tool: event.toolName, input: event.input };
			answer = JSON.parse((await ctx.ui.input(JSON.stringify(call))) ?? "{}");
		} catch (error) {
			answer.reason = `The request for permission failed: ${error}`;
		}
		// Whatever went wrong, no answer is no permission.
		if (answer.allow !== true) {
			return { block: true, reason: answer.reason ?? "The request for permission was cancelled before anybody decided. That is no permission: leave this undone." };
		}
	});
}
