# frozen_string_literal: true

# A bot for Bluke Arena without an SDK: gRPC for Ruby and the stubs made from proto/, nothing else.

require "bluke/v1/play_services_pb"

# What the bot thinks of one turn. Cards are indices: 13 * suit + rank, then the two Blukes.
class Table
  LO_BLUKE = 52
  ACE = 12
  SUITS = { TRUMP_CLUBS: 0, TRUMP_DIAMONDS: 1, TRUMP_HEARTS: 2, TRUMP_SPADES: 3 }.freeze

  def initialize(turn)
    @legal = turn.legal.to_a
    @view = turn.view
    @trump = SUITS[@view.trump] # nil in a hand without trump, and for a trump of a later protocol
    @needed = @view.bids[turn.seat] - @view.tricks_won[turn.seat]
    trick = @view.tricks.last
    @on_table = trick.nil? || trick.has_winner? ? [] : trick.cards.to_a
  end

  # The sum of each card's chance to take a trick, roughly.
  def bid
    @view.cards.sum { |card| chance(card) }.round.clamp(@legal.first, @legal.last)
  end

  # Takes the trick while tricks are needed, as cheaply as the last seat can; after that throws the strongest card away.
  def play
    takers, losers = @legal.sort_by { |card| [strength(card), card] }.partition { |card| takes?(card) }
    return losers.last || takers.first unless @needed.positive?

    last = @on_table.size == @view.rules.seats - 1
    (last ? takers.first : takers.last) || losers.first
  end

  private

  def chance(card)
    suit, rank = card.divmod(13)
    return 1.0 if card >= LO_BLUKE
    return [0.35 + rank / 12.0, 1.0].min if suit == @trump

    rank == ACE ? 0.75 : [(rank - ACE + 3.0 / @view.rules.seats) / 2, 0.0].max
  end

  def takes?(card)
    @on_table.all? { |other| strength(card) > strength(other) }
  end

  # Grows with what beats what in this trick; a card that is to be led is weighed as one of the suit led.
  def strength(card)
    return 100 + card if card >= LO_BLUKE

    suit, rank = card.divmod(13)
    led = @on_table.first || card
    return 50 + rank if suit == @trump

    led < LO_BLUKE && suit == led / 13 ? rank : rank - 50
  end
end

# The bot's side of the protocol: one stream after the other, from the first hello to the goodbye.
class Bot
  include Bluke::V1

  GIVE_UP = 60 # seconds without a welcome
  BROKEN = [GRPC::Unavailable, GRPC::Cancelled, GRPC::Unknown, GRPC::DeadlineExceeded, GRPC::Internal].freeze
  OPTIONS = {
    # Without it a new stream may get the connection that broke, with a pause before that is tried again.
    "grpc.use_local_subchannel_pool" => 1,
    "grpc.keepalive_time_ms" => 10_000,
    "grpc.http2.ping_timeout_ms" => 5_000
  }.freeze

  def initialize(server:, token: "", ca: "", insecure: false)
    @server = server
    @token = token
    @local = server.start_with?("unix:", "localhost:", "127.", "[::1]:")
    @credentials = if !ca.empty? then GRPC::Core::ChannelCredentials.new(File.read(ca))
                   elsif insecure || @local then :this_channel_is_insecure
                   else GRPC::Core::ChannelCredentials.new
                   end
    @resume_key = ""
    @attempts = 0
    @deadline = now + GIVE_UP
  end

  # Plays until there is nothing more to play; returns the exit code.
  def run
    loop do
      code = follow_stream
      return code if code

      if now > @deadline
        warn "no referee at #{@server} for #{GIVE_UP} s"
        return 1
      end
      sleep(rand * [0.25 * 2**@attempts, 5.0].min)
      @attempts += 1
    end
  end

  private

  # Opens a stream and follows it to its end; returns an exit code, or nil if it is worth dialling again.
  def follow_stream
    code = nil
    @welcomed = false
    @said = Queue.new
    say(hello: hello)
    requests = Enumerator.new { |out| while (request = @said.pop) do out << request end }
    call = stub.play(requests, return_op: true) { |message| code = heard(message) || code }
    # When a stream ends, gRPC for Ruby waits until there is no more to be written.
    watch = Thread.new { sleep 0.05 until call.status; @said << nil }
    call.execute
    code
  rescue *BROKEN => e
    warn "the stream broke: #{e.details}"
  rescue GRPC::BadStatus => e
    warn "the referee ended the stream: #{e.details} (#{e.class})"
    1
  ensure
    watch&.kill
    @said << nil
    @deadline = now + GIVE_UP if @welcomed
  end

  def stub
    options = @local ? OPTIONS.merge("grpc.enable_http_proxy" => 0) : OPTIONS
    RefereeService::Stub.new(@server, @credentials, channel_args: options)
  end

  def hello
    Hello.new(token: @token, name: "ruby", version: "1", protocols: [1], resume_key: @resume_key)
  end

  def say(payload)
    @said << PlayRequest.new(payload)
  end

  # Takes in one message, and skips what it does not know; returns an exit code if the bot is to end.
  def heard(message)
    case message.payload
    when :refusal then return refused(message.refusal)
    when :goodbye then return 0
    when :welcome then welcomed(message.welcome)
    when :turns then say_moves(message.turns.turns.filter_map { |turn| move(turn) })
    when :notice then warn "not taken: #{message.notice.to_json}"
    when :fault then warn "fault: #{message.fault.to_json}"
    end
    nil
  end

  def welcomed(welcome)
    @welcomed = true
    @attempts = 0
    @resume_key = welcome.resume_key
    @most_bytes = welcome.limits.max_message_bytes
    warn "playing at #{@server} as #{welcome.name}#{', resumed' if welcome.resumed}"
  end

  def refused(refusal)
    warn "refused by #{@server}: #{refusal.message}"
    case refusal.reason
    when :REFUSAL_REASON_RESUME then @resume_key = ""
    when :REFUSAL_REASON_STREAMS, :REFUSAL_REASON_CLOSING then nil
    else return 2
    end
    nil
  end

  # As few messages as the referee's limit allows.
  def say_moves(moves)
    return if moves.empty?

    request = PlayRequest.new(moves: Moves.new(moves: moves))
    if moves.size > 1 && PlayRequest.encode(request).bytesize > @most_bytes
      moves.each_slice((moves.size + 1) / 2) { |half| say_moves(half) }
    else
      @said << request
    end
  end

  # The answer to one turn; nil if there is none.
  def move(turn)
    answer = case turn.asked
             when :ASKED_CUT then { cut: turn.legal.first }
             when :ASKED_BID then { bid: Table.new(turn).bid }
             when :ASKED_PLAY then { card: Table.new(turn).play }
             end
    answer && Move.new(game_id: turn.game_id, decision_id: turn.decision_id, **answer)
  rescue StandardError => e
    detail = e.full_message(highlight: false).scrub
    warn detail
    say(error: BotError.new(game_id: turn.game_id, decision_id: turn.decision_id, detail: detail[0, 1000]))
    nil
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end

if $PROGRAM_NAME == __FILE__
  server = ENV.fetch("BLUKE_SERVER", "")
  if server.empty?
    warn "no referee to dial: set BLUKE_SERVER to its address, such as localhost:7373"
    exit 2
  end
  token, ca = ENV.values_at("BLUKE_TOKEN", "BLUKE_CA").map(&:to_s)
  begin
    exit Bot.new(server: server, token: token, ca: ca, insecure: ENV["BLUKE_INSECURE"] == "1").run
  rescue SystemCallError => e
    warn "BLUKE_CA: #{e.message}"
    exit 2
  end
end
