// What Parley adds to Pi for one launch: the MCP servers of the session, and a
// question before a tool runs. It decides nothing. Pi loads it with -e, and
// everything of it ends with the process.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const { mcpServers } = JSON.parse(readFileSync(new URL("./servers.json", import.meta.url), "utf8"));

/** How long, in milliseconds, the first message waits for a server. */
const startLimit = 10_000;

export default function parley(pi) {
	if (pi.registerMcpServer) {
		for (const [name, server] of Object.entries(mcpServers)) pi.registerMcpServer(name, server);
	}
	pi.on("session_start", async (_event, ctx) => {
		if (hasOwnMcp(pi)) return;
		// An older Pi has no MCP, and in a newer one pi-mcp-adapter takes its place;
		// that cannot be handed servers without changing the person's files.
		const started = Object.entries(mcpServers).map(([name, server]) => {
			pi.unregisterMcpServer?.(name);
			return connect(pi, name, server).catch((error) => ctx.ui.notify(`The MCP server ${name} did not start: ${error.message}`, "warning"));
		});
		await Promise.all(started);
	});

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

/** Whether Pi itself connects the servers that were registered. */
function hasOwnMcp(pi) {
	return pi.registerMcpServer !== undefined && pi.getCommands().some((c) => c.name === "mcp" && c.sourceInfo?.path === "builtin:mcp");
}

/** Starts a server, speaks MCP over its input and output, and makes its tools plain ones, named as Pi's own MCP names them. */
async function connect(pi, name, server) {
	if (!server.command) throw new Error("this Pi can only be handed servers that are started");
	// In the file a dollar and a leading exclamation mark are escaped, for Pi fills values in.
	const env = Object.fromEntries(Object.entries(server.env ?? {}).map(([key, value]) => [key, value.replace(/\$([$!])/g, "$1")]));
	const child = spawn(server.command, server.args ?? [], { cwd: server.cwd, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "ignore"] });
	const waiting = new Map();
	let lastId = 0;
	const over = (error) => {
		for (const { reject } of waiting.values()) reject(error);
		waiting.clear();
	};
	child.on("error", over).on("exit", () => over(new Error("it has ended")));
	child.stdin.on("error", over);
	const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	const request = (method, params, signal) =>
		new Promise((resolve, reject) => {
			const id = ++lastId;
			const settled = (then) => (value) => {
				waiting.delete(id);
				signal?.removeEventListener("abort", stop);
				then(value);
			};
			const stop = () => {
				send({ method: "notifications/cancelled", params: { requestId: id, reason: "stopped" } });
				settled(reject)(new Error("The call was stopped."));
			};
			waiting.set(id, { resolve: settled(resolve), reject: settled(reject) });
			signal?.addEventListener("abort", stop, { once: true });
			send({ id, method, params });
		});
	let rest = "";
	child.stdout.setEncoding("utf8").on("data", (chunk) => {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop();
		for (const line of lines.filter((l) => l.trim() !== "")) {
			const message = JSON.parse(line);
			if (message.method !== undefined) {
				if (message.id !== undefined) send({ id: message.id, error: { code: -32601, message: "not supported" } });
				continue;
			}
			const asker = waiting.get(message.id);
			if (message.error) asker?.reject(new Error(message.error.message));
			else asker?.resolve(message.result);
		}
	});
	const listTools = async () => {
		await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "pi", version: "parley" } });
		send({ method: "notifications/initialized" });
		return (await request("tools/list", {})).tools;
	};
	for (const tool of await within(listTools())) {
		pi.registerTool({
			name: `mcp__${name.replace(/\W/g, "_")}__${tool.name.replace(/\W/g, "_")}`,
			label: tool.title ?? tool.name,
			description: tool.description ?? tool.name,
			parameters: tool.inputSchema,
			async execute(_id, args, signal) {
				const result = await request("tools/call", { name: tool.name, arguments: args }, signal);
				if (result.isError) throw new Error(result.content.map((c) => c.text ?? "").join("\n"));
				return { content: result.content, details: {} };
			},
		});
	}
}

function within(promise) {
	let timer;
	const late = new Promise((_, reject) => {
		timer = setTimeout(() => reject(new Error("it took too long")), startLimit);
	});
	return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
